/** All domains, those that want something first. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { DomainRow } from '../../../src/edges/dashboard/wire.ts';
import { useMoving } from '../../api/live.ts';
import { getPage } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { DomainState, domainState } from '../../parts/domain-state.tsx';
import { count } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

export function DomainTable() {
  const [search, setSearch] = useState('');
  const domains = useInfiniteQuery({
    queryKey: ['domains', search],
    queryFn: ({ pageParam }) => getPage<DomainRow>(addressOf(search, pageParam)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const rows = domains.data?.pages.flatMap((page) => page.rows) ?? [];
  useMoving(rows.some((row) => domainState(row).tone === 'busy'));
  return (
    <Card
      title="Domains"
      aside={
        <input
          type="search"
          aria-label="Search domains"
          placeholder="Search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      }
    >
      <WhenLoaded query={domains}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">No hostname contains “{search}”.</p>
          ) : (
            <>
              <Rows rows={rows} />
              <ShowMore list={domains} what="domains" />
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

function Rows({ rows }: { readonly rows: readonly DomainRow[] }) {
  const head = ['Hostname', 'Status', { name: 'URLs', isNumber: true }, 'Last upload'] as const;
  return (
    <Table label="Domains" head={head}>
      {rows.map((row) => (
        <tr key={row.id}>
          <th scope="row">
            <a href={`/dashboard/domains/${row.id}`}>{row.hostname}</a>
            {row.need && (
              <span class="below">
                {row.need.title}. {row.need.detail}.
              </span>
            )}
          </th>
          <td>
            <DomainState domain={row} />
          </td>
          <td class="number">{count(row.urlCount)}</td>
          <td>
            <Time at={row.lastUpdated} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function addressOf(search: string, cursor: string): string {
  const query = new URLSearchParams({ limit: '100', ...(search && { search }), ...(cursor && { cursor }) });
  return `overview/domains?${query}`;
}
