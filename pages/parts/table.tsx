/** A table. Where it does not fit, it can be scrolled sideways, also with the keyboard, or its rows become cards. */
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  /** Whether only screen readers get the name. */
  readonly isUnseen?: boolean;
  /** The address of the list in the order of this column. */
  readonly sort?: { readonly href: string; readonly isSorted: boolean; readonly isDescending?: boolean };
}

export interface TableProps {
  readonly label: string;
  readonly head: readonly (string | Column)[];
  /** Whether each row is a card on phones. Then a cell names its column in `data-label`, unless its content is clear alone. */
  readonly asCards?: boolean;
  /** Whether the cards show their numbers beside each other. A row then has a name, a state, three numbers and an action. */
  readonly isCompact?: boolean;
  /** The rows, as `<tr>` elements. */
  readonly children: ComponentChildren;
}

export function Table({ label, head, asCards = false, isCompact = false, children }: TableProps) {
  const kind = `table${asCards ? ' cards' : ''}${isCompact ? ' compact' : ''}`;
  return (
    // An element that scrolls must be reachable with the keyboard. Its role is a group, because a region would be a second landmark in the
    // card.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <section class={kind} role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((column) => (
              <Head key={nameOf(column)} column={typeof column === 'string' ? { name: column } : column} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const nameOf = (column: string | Column) => (typeof column === 'string' ? column : column.name);

function Head({ column: { name, isNumber, isUnseen, sort } }: { readonly column: Column }) {
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={sort?.isSorted ? ((sort.isDescending ?? isNumber) ? 'descending' : 'ascending') : undefined}
    >
      {sort ? <a href={sort.href}>{name}</a> : isUnseen ? <span class="unseen">{name}</span> : name}
    </th>
  );
}
