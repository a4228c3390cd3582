/** Rows of domains. Each has a state in one line. A domain with a need has a button that leads to the cure. */
import { useQuery } from '@tanstack/preact-query';
import type { DomainRow } from '../../../src/edges/dashboard/wire.ts';
import { liveQuery } from '../../api/queries.ts';
import { State } from '../../parts/chip.tsx';
import { capital, count, utcDayInWords } from '../../parts/format.ts';
import { needPlace } from '../../parts/needs/need-place.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf, type ListState, type Order } from './list-state.ts';
import { rowState } from './row-state.ts';

export function Rows({ rows, state }: { readonly rows: readonly DomainRow[]; readonly state: ListState }) {
  const { data } = useQuery(liveQuery);
  const sorted = (name: string, order: Order, more: Partial<Column> = {}): Column => ({
    ...more,
    name,
    sort: { href: addressOf({ ...state, order }), isSorted: state.order === order },
  });
  const head: readonly Column[] = [
    sorted('Domain', 'name'),
    sorted('State', 'urgency'),
    sorted('URLs', 'urls', { isNumber: true }),
    { name: 'Last upload', isNumber: true },
    { name: 'Last crawl', isNumber: true },
    { name: 'Action', isUnseen: true },
  ];
  return (
    <Table label="Domains" head={head} asCards isCompact>
      {rows.map((row) => {
        const { tone, word } = rowState(row, data?.running ?? []);
        const place = row.need && needPlace(row.need);
        return (
          <tr key={row.id}>
            <th scope="row">
              <a href={`/dashboard/domains/${row.id}`}>{row.hostname}</a>
            </th>
            <td>
              <State tone={tone}>{word}</State>
            </td>
            <td class="number" data-label="URLs">
              {row.urlCount === 0 ? <None /> : count(row.urlCount)}
            </td>
            <td class="number" data-label="Last upload">
              {row.lastUpdated === null ? <None /> : <Time at={row.lastUpdated} />}
            </td>
            <td class="number" data-label="Last crawl">
              <LastCrawl row={row} />
            </td>
            <td class="row-actions">
              {place && (
                <a class="button small" href={place.href} aria-label={`${place.word} ${row.hostname}`}>
                  {place.word}
                </a>
              )}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

const None = () => <span class="quiet">–</span>;

function LastCrawl({ row: { lastCrawlAt, lastCrawlDay } }: { readonly row: DomainRow }) {
  if (lastCrawlAt !== null) return <Time at={lastCrawlAt} />;
  return lastCrawlDay === null ? <None /> : <span>{capital(utcDayInWords(lastCrawlDay))}</span>;
}
