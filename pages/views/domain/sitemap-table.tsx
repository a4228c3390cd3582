/**
 * A table of sitemaps. With `isShort` there are few rows, so the last change of each sitemap is read and shown in place of its files and
 * size.
 */
import type { Sitemap } from '../../../client/src/answers.ts';
import { domainPage } from '../../api/domain.ts';
import { bytes, count, tinyCount } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { changesPage, type SitemapId, useLastChanges } from '../sitemap/sitemap-queries.ts';
import { lastVisitOf, type Visits } from './last-visit.ts';

const NAMES = ['Name', { name: 'URLs', isNumber: true }] as const;
const SIZES = [
  { name: 'Files', isNumber: true },
  { name: 'Size', isNumber: true },
] as const;
const CHANGE = [{ name: 'Last change', isNumber: true }] as const;
const TIMES = [
  { name: 'Last upload', isNumber: true },
  { name: 'Last crawl', isNumber: true },
] as const;

export interface SitemapTableProps {
  readonly domainId: string;
  readonly rows: readonly Sitemap[];
  /** Undefined while they are not known. */
  readonly visits: Visits | undefined;
  readonly isShort?: boolean;
}

export function SitemapTable({ domainId, rows, visits, isShort = false }: SitemapTableProps) {
  const head = [...NAMES, ...(isShort ? CHANGE : SIZES), ...TIMES];
  return (
    <Table asCards label="Sitemaps" head={head}>
      {rows.map((sitemap) => {
        const { name, urlCount, files, bytes: length, lastUpdated, sitemapUrl } = sitemap;
        const visit = visits && lastVisitOf(sitemap, visits.rows);
        return (
          <tr key={name}>
            <th scope="row">
              <a href={domainPage(domainId, 'sitemaps', name)}>{name}</a>
              <span class="below">{new URL(sitemapUrl).pathname}</span>
            </th>
            <td class="number" data-label="URLs">
              {count(urlCount)}
            </td>
            {isShort ? (
              <td class="number" data-label="Last change">
                <LastChange domainId={domainId} name={name} />
              </td>
            ) : (
              <>
                <td class="number" data-label="Files">
                  {count(files)}
                </td>
                <td class="number" data-label="Size">
                  {bytes(length)}
                </td>
              </>
            )}
            <td class="number" data-label="Last upload">
              <Time at={lastUpdated} />
            </td>
            <td class="number" data-label="Last crawl">
              {visit ? (
                <Time at={visit.lastVisitAt} />
              ) : (
                <span class="quiet">{visits?.isWhole === false ? '–' : 'Not yet'}</span>
              )}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

/** The changes of the live generation of a sitemap, in numbers. */
function LastChange(sitemap: SitemapId) {
  const { data } = useLastChanges(sitemap);
  if (data === undefined) return <span class="quiet">…</span>;
  if (data.state !== 'compared') return <span class="quiet">{data.state === 'first' ? 'New' : '–'}</span>;
  const { added, changed, removed } = data;
  const parts = [
    added && `+${tinyCount(added)}`,
    changed && `${tinyCount(changed)} changed`,
    removed && `−${tinyCount(removed)}`,
  ].filter(Boolean);
  if (parts.length === 0) return <span class="quiet">None</span>;
  return (
    <a href={changesPage(sitemap, {})}>
      <span class="unseen">Changes: </span>
      {parts.join(', ')}
    </a>
  );
}
