/** A table. Where it does not fit, it can be scrolled sideways, also with the keyboard, or its rows become cards. */
import type { ComponentChildren } from 'preact';

export interface TableProps {
  readonly label: string;
  readonly head: readonly (string | { readonly name: string; readonly isNumber: true })[];
  /** On phones each row is a card. A cell names its column in `data-label`, unless it speaks for itself. */
  readonly asCards?: boolean;
  /** Rows: `<tr>`. */
  readonly children: ComponentChildren;
}

export function Table({ label, head, asCards = false, children }: TableProps) {
  return (
    // What scrolls must be reachable with the keyboard. A group: as a region it would be a second landmark of
    // its card.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <section class={asCards ? 'table cards' : 'table'} role="group" aria-label={label} tabIndex={0}>
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
