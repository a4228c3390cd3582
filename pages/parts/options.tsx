/** The options of a select, from their values and names. */
export function Options({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return Object.entries(of).map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ));
}
