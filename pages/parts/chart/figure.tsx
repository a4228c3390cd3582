/** The large number above a chart: the sum, or the number of the day at which the mouse points. */

interface Amount {
  readonly value: string;
  readonly of: string;
}

export function Figure({ total, ofDay }: { readonly total: Amount; readonly ofDay: Amount | false }) {
  const { value, of } = ofDay || total;
  return (
    <p class="figure">
      <strong>{value}</strong> {of}
    </p>
  );
}
