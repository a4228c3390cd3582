/** The first URLs of each kind of change, with their fields as they were and as they are. */
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SitemapChanges } from '../../../client/src/answers.ts';
import { findPage } from '../../api/find-page.ts';
import { count, counted } from '../../parts/format.ts';
import { Segments } from '../../parts/segments.tsx';
import { Table } from '../../parts/table.tsx';
import { type ChangeKind, changesPage, type Pair, type SitemapId } from '../sitemap/sitemap-queries.ts';
import { countsOf } from './change-stats.tsx';
import { originOf } from './origin-of.ts';
import { saidFields } from './said-fields.ts';

const KINDS = [
  { kind: 'added', name: 'Added' },
  { kind: 'changed', name: 'Changed' },
  { kind: 'removed', name: 'Removed' },
] as const;

/** With more changes than this, no URLs are listed. The CSV has all of them. */
const MOST = 100_000;

export interface ChangedUrlsProps {
  readonly sitemap: SitemapId;
  readonly changes: SitemapChanges;
  readonly pair: Pair;
  /** The address of the list as NDJSON. */
  readonly ndjson: string;
}

export function ChangedUrls({ sitemap, changes, pair, ndjson }: ChangedUrlsProps) {
  const { query } = useLocation();
  const [filter, setFilter] = useState('');
  const counts = countsOf(changes);
  const all = counts.added + counts.changed + counts.removed;
  const chosen = KINDS.find(({ kind }) => kind === query.kind)?.kind ?? fullestOf(counts);
  if (all === 0) {
    return (
      <section class="card">
        <p>Nothing: all URLs are as they were.</p>
      </section>
    );
  }
  const firstRows = rowsOf(changes, chosen);
  const listed = count(firstRows.length);
  const rows = firstRows.filter(({ loc }) => loc.includes(filter.trim()));
  return (
    <section class="card" aria-label="URLs">
      <div class="card-head">
        <Segments
          label="Kind of change"
          segments={KINDS.map(({ kind, name }) => ({
            href: changesPage(sitemap, pair, kind),
            name: `${name} ${count(counts[kind])}`,
            isChosen: kind === chosen,
          }))}
        />
        {all <= MOST && (
          <input
            class="filter"
            type="search"
            aria-label={`Filter the ${listed} listed`}
            placeholder={`Filter the ${listed} listed`}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
      </div>
      {all > MOST ? (
        <p>Over {count(MOST)} URLs changed. The CSV has all of them.</p>
      ) : rows.length === 0 ? (
        <p class="quiet">{filter === '' ? 'None.' : `None of the ${listed} listed here has “${filter}”.`}</p>
      ) : (
        <Rows rows={rows} kind={chosen} pair={pair} />
      )}
      <div class="card-foot">
        <span>
          {all <= MOST && `${count(rows.length)} of ${count(counts[chosen])} shown. `}The CSV has{' '}
          {all === 1 ? 'it' : `all ${counted(all, 'change')}`}.
        </span>
        <a href={ndjson} download>
          Download NDJSON
        </a>
      </div>
    </section>
  );
}

interface Row {
  readonly loc: string;
  readonly from?: string;
  readonly to?: string;
}

function rowsOf({ samples, details = [] }: SitemapChanges, kind: ChangeKind): Row[] {
  if (kind !== 'changed' || details.length === 0) return samples[kind].map((loc) => ({ loc }));
  return details.map(({ loc, from, to }) => ({ loc, ...saidFields(from, to) }));
}

const fullestOf = (counts: Readonly<Record<ChangeKind, number>>): ChangeKind =>
  (['changed', 'added', 'removed'] as const).reduce((best, kind) =>
    counts[kind] > counts[best] ? kind : best,
  );

interface RowsProps {
  readonly rows: readonly Row[];
  readonly kind: ChangeKind;
  readonly pair: Pair;
}

function Rows({ rows, kind, pair: { from, to } }: RowsProps) {
  const hasFields = rows.some((row) => row.from !== undefined);
  const [former, now] = [`Version ${from}`, `Version ${to}`];
  const origin = originOf(rows.map(({ loc }) => loc));
  return (
    <div class="tall">
      <Table
        label={`${KINDS.find((one) => one.kind === kind)!.name} URLs`}
        head={[
          origin === undefined ? 'URL' : `URL on ${origin.slice(origin.indexOf('//') + 2)}`,
          ...(hasFields ? [former, now] : []),
        ]}
        asCards
      >
        {rows.map((row) => (
          <tr key={row.loc}>
            <th scope="row">
              <a href={findPage(row.loc)}>{row.loc.slice(origin?.length) || '/'}</a>
            </th>
            {hasFields && (
              <>
                <td data-label={former}>
                  <span class="quiet">{row.from}</span>
                </td>
                <td data-label={now}>
                  <span>{row.to}</span>
                </td>
              </>
            )}
          </tr>
        ))}
      </Table>
    </div>
  );
}
