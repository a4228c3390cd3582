/** The filter and the order of the list of domains. The address of the page has them, so people can send a list, and find it again. */

export type Filter = 'all' | 'needsYou' | 'live';
export type Order = 'urgency' | 'name' | 'urls' | 'newest';

export interface ListState {
  readonly search: string;
  readonly filter: Filter;
  readonly order: Order;
  /** Whether to show the whole list in pages, and not only its first rows. */
  readonly isWhole: boolean;
}

const FILTERS: readonly Filter[] = ['all', 'needsYou', 'live'];
const ORDERS: readonly Order[] = ['urgency', 'name', 'urls', 'newest'];

/** `query`: the query of the page's address. Unknown values become the default. */
export function readState(query: Readonly<Record<string, string>>): ListState {
  return {
    search: query.search ?? '',
    filter: FILTERS.find((filter) => filter === query.show) ?? 'all',
    order: ORDERS.find((order) => order === query.sort) ?? 'urgency',
    isWhole: query.all === 'yes',
  };
}

export function addressOf({ search, filter, order, isWhole }: ListState): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(filter !== 'all' && { show: filter }),
    ...(order !== 'urgency' && { sort: order }),
    ...(isWhole && { all: 'yes' }),
  });
  return query.size === 0 ? '/dashboard' : `/dashboard?${query}`;
}

/** The number of rows at first, without a search. In the default order, domains with faults are among them. */
const FIRST = 8;
const PAGE = 100;

/** Returns the path of the list, without a cursor. */
export function pathOf({ search, filter, order, isWhole }: ListState): string {
  const isShort = !isWhole && search === '';
  return `overview/domains?${new URLSearchParams({ filter, order, search, limit: String(isShort ? FIRST : PAGE) })}`;
}
