/** A table that can be scrolled sideways where it does not fit, also with the keyboard. */
import type { ComponentChildren } from 'preact';

export interface TableProps {
  readonly label: string;
  readonly head: readonly (string | { readonly name: string; readonly isNumber: true })[];
  /** Rows: `<tr>`. */
  readonly children: ComponentChildren;
}

export function Table({ label, head, children }: TableProps) {
  return (
    // A region that scrolls must be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.name} scope="col" class="number">
                  {column.name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
