/**
 * The list of domains. By default, those to fix come first. The service filters, sorts and pages the list, because an account may have
 * 10,000 domains.
 */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import type { DomainRow, Overview } from '../../../src/edges/dashboard/wire.ts';
import { useMoving } from '../../api/live.ts';
import { getPage } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { domainState } from '../../parts/domain-state.ts';
import { count, counted } from '../../parts/format.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { Segments } from '../../parts/segments.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Rows } from './domain-rows.tsx';
import { addressOf, type Filter, type ListState, pathOf, readState } from './list-state.ts';

const NAMES: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['needsYou', 'Needs you'],
  ['live', 'Live'],
];

export function DomainTable({ facts }: { readonly facts: Overview }) {
  const { query, route } = useLocation();
  const state = readState(query);
  const path = pathOf(state);
  const domains = useInfiniteQuery({
    queryKey: ['domains', path],
    queryFn: ({ pageParam }) => getPage<DomainRow>(pageParam === '' ? path : `${path}&cursor=${pageParam}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const rows = domains.data?.pages.flatMap((page) => page.rows) ?? [];
  useMoving(rows.some((row) => domainState(row).tone === 'busy'));
  const counts = { all: facts.domainCount, needsYou: facts.needsYouCount, live: facts.liveCount };
  const segments = NAMES.map(([filter, name]) => ({
    href: addressOf({ ...state, filter, isWhole: false }),
    name: `${name} ${count(counts[filter])}`,
    isChosen: filter === state.filter,
  }));
  return (
    <Card
      title="Domains"
      aside={
        <div class="buttons">
          <Segments label="Filter by state" segments={segments} />
          {counts.all > 1 && (
            <SearchField
              label="Search domains"
              value={state.search}
              change={(search) => route(addressOf({ ...state, search }), true)}
            />
          )}
        </div>
      }
      foot={whatIsShown(state, rows.length, counts[state.filter], domains.hasNextPage)}
    >
      <WhenLoaded query={domains}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">{noneOf(state)}</p>
          ) : (
            <>
              <Rows rows={rows} state={state} />
              {(state.isWhole || state.search !== '') && <ShowMore list={domains} what="domains" />}
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

/**
 * Says how many domains are shown, with a link to more or fewer. Undefined if there is nothing to say. `of`: the number of domains with the
 * chosen filter.
 */
function whatIsShown(state: ListState, rows: number, of: number, hasMore: boolean) {
  if (rows === 0 || (!hasMore && !state.isWhole)) return undefined;
  if (state.search !== '') return <span>{counted(rows, 'domain')} so far</span>;
  const first = state.order === 'urgency' && state.filter === 'all' ? ', those to fix first' : '';
  return (
    <>
      <span>{hasMore ? `${count(rows)} of ${counted(of, 'domain')}${first}` : counted(rows, 'domain')}</span>
      <a href={addressOf({ ...state, isWhole: !state.isWhole })}>
        {state.isWhole ? 'Show fewer' : 'Show all'}
      </a>
    </>
  );
}

function noneOf({ search, filter }: ListState): string {
  const which =
    filter === 'all' ? '' : filter === 'live' ? ' of those that are live' : ' of those that need you';
  if (search !== '') return `No domain${which} contains “${search}”.`;
  return filter === 'live' ? 'No domain is live yet.' : 'No domain needs you.';
}
