/** The last visit of each kind of crawler to each file. */
import { useLocation } from 'preact-iso';
import type { FileVisit } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { Card } from '../../parts/card.tsx';
import { count } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Narrowed } from './narrowed.tsx';

export function LastVisits({ domainId }: { readonly domainId: string }) {
  const { query } = useLocation();
  const narrow = {
    ...(query.crawler && { crawler: query.crawler }),
    ...(query.file && { file: query.file }),
  };
  const isByFile = query.sort === 'file';
  const search = new URLSearchParams({ ...narrow, order: isByFile ? 'file' : 'newest', limit: String(PAGE) });
  const { list, rows } = useRows<FileVisit>(
    domainKey(domainId, 'crawls', String(search)),
    `${domainPath(domainId, 'crawls')}?${search}`,
  );
  return (
    <Card
      title="Last visits"
      lead="Visits appear after about two minutes. Visits to your pages are in your own server logs."
      aside={<Narrowed domainId={domainId} crawler={query.crawler} file={query.file} />}
      foot={
        <>
          <span>A crawler's name is what it says of itself. Anybody can say Googlebot.</span>
          <a
            href={`/dashboard/api/${domainPath(domainId, 'crawls')}?${new URLSearchParams({ ...narrow, form: 'csv' })}`}
            download
          >
            Download CSV
          </a>
        </>
      }
    >
      <WhenLoaded query={list}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">
              {narrow.crawler || narrow.file
                ? 'No visit of this kind yet.'
                : 'No crawler has fetched a file yet. The first one comes some days after you submit the sitemap.'}
            </p>
          ) : (
            <>
              <Table label="Last visits" head={sortable(domainId, query, isByFile)} asCards>
                {rows.map((visit) => (
                  <Row key={`${visit.file} ${visit.crawler}`} visit={visit} />
                ))}
              </Table>
              <ShowMore list={list} what="visits" />
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

const PAGE = 100;

const HEAD: readonly Column[] = [
  { name: 'File' },
  { name: 'Crawler' },
  { name: 'Last visit' },
  { name: 'Answer' },
  { name: 'Visits', isNumber: true },
];

function sortable(domainId: string, query: Readonly<Record<string, string>>, isByFile: boolean): Column[] {
  const { sort: _, ...others } = query;
  const page = domainPage(domainId, 'crawlers');
  const byFile = { href: `${page}?${new URLSearchParams({ ...others, sort: 'file' })}`, isSorted: isByFile };
  const byTime = {
    ...{ href: `${page}?${new URLSearchParams(others)}`, isSorted: !isByFile },
    isDescending: true,
  };
  const sorts = new Map([
    ['File', byFile],
    ['Last visit', byTime],
  ]);
  return HEAD.map((column) => {
    const sort = sorts.get(column.name);
    return sort ? { ...column, sort } : column;
  });
}

function Row({
  visit: { file, url, crawler, status, lastVisitAt, requests },
}: {
  readonly visit: FileVisit;
}) {
  return (
    <tr>
      <th scope="row">
        <a href={url} target="_blank" rel="noreferrer">
          {file}
        </a>
      </th>
      <td data-label="Crawler">
        <span>{crawler}</span>
      </td>
      <td data-label="Last visit">
        <Time at={lastVisitAt} />
      </td>
      <td data-label="Answer">
        <span>{status === 304 ? '304, unchanged' : status}</span>
      </td>
      <td class="number" data-label="Visits">
        {count(requests)}
      </td>
    </tr>
  );
}
