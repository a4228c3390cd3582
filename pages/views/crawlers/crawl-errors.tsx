/** Answers that crawlers got instead of a file, by day, and missing files that they asked for. */
import { useLocation } from 'preact-iso';
import type { FileError } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { Card } from '../../parts/card.tsx';
import { count, shortDay } from '../../parts/format.ts';
import { Segments } from '../../parts/segments.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';

const HEAD = ['File', 'Answer', 'Crawler', 'Day, UTC', { name: 'Requests', isNumber: true }] as const;

const STATUSES = [
  { status: '', name: 'All' },
  { status: '404', name: 'Missing files' },
  { status: '503', name: 'Not ready' },
] as const;

const MEANINGS: Readonly<Record<number, string>> = {
  404: 'no such file',
  406: 'no form that it accepts',
  412: 'another version',
  416: 'no such part',
  503: 'not ready, asked to come back',
};

export function CrawlErrors({ domainId }: { readonly domainId: string }) {
  const { query } = useLocation();
  const { status = '', ...others } = query;
  const search = new URLSearchParams({ ...(status && { status }), limit: '100' });
  const path = domainPath(domainId, 'crawls', 'errors');
  const { list, rows } = useRows<FileError>(
    domainKey(domainId, 'crawls', 'errors', String(search)),
    `${path}?${search}`,
  );
  const page = domainPage(domainId, 'crawlers');
  return (
    <Card
      id="errors"
      title="Errors and missing files"
      lead="The last 30 days. Of missing files, only names that a sitemap could have are counted."
      aside={
        <Segments
          label="Filter by answer"
          segments={STATUSES.map((one) => ({
            href: `${page}?${new URLSearchParams({ ...others, ...(one.status && { status: one.status }) })}`,
            name: one.name,
            isChosen: one.status === status,
          }))}
        />
      }
      foot={
        <>
          <span>A crawler that gets 503 comes back by itself.</span>
          <a
            href={`/dashboard/api/${path}?${new URLSearchParams({ ...(status && { status }), form: 'csv' })}`}
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
            <p class="quiet">None in 30 days.</p>
          ) : (
            <>
              <Table label="Errors and missing files" head={HEAD} asCards>
                {rows.map((error) => (
                  <Row key={`${error.day} ${error.file} ${error.crawler} ${error.status}`} error={error} />
                ))}
              </Table>
              <ShowMore list={list} what="errors" />
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

function Row({ error: { day, file, crawler, status, requests } }: { readonly error: FileError }) {
  const meaning = MEANINGS[status];
  return (
    <tr>
      <th scope="row">{file ?? <span class="quiet">Other names</span>}</th>
      <td data-label="Answer">
        <span>
          {status}
          {meaning && `, ${meaning}`}
        </span>
      </td>
      <td data-label="Crawler">
        <span>{crawler}</span>
      </td>
      <td data-label="Day, UTC">
        <span>{shortDay(day)}</span>
      </td>
      <td class="number" data-label="Requests">
        {count(requests)}
      </td>
    </tr>
  );
}
