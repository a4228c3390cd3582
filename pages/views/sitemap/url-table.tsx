/** The first 100 URLs of a file, or of those in it that contain a text. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SitemapFile, SitemapUrl } from '../../../src/edges/dashboard/wire.ts';
import { findPage } from '../../api/find-page.ts';
import { get } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { Field } from '../../parts/field.tsx';
import { counted } from '../../parts/format.ts';
import { WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { nameOf } from './file-table.tsx';
import { type SitemapId, sitemapPath } from './sitemap-queries.ts';
import { detailsOf } from './url-details.ts';

const MOST = 100;
/** The pause in typing before a search. The service reads a whole file for each search. */
const PAUSE_MS = 400;

export interface UrlTableProps {
  readonly sitemap: SitemapId;
  /** The live generation. */
  readonly generation: number;
  readonly file: SitemapFile;
}

export function UrlTable({ sitemap, generation, file }: UrlTableProps) {
  const { path, query, route } = useLocation();
  const [typed, setTyped] = useState(query.search ?? '');
  const search = useSettled(typed.trim(), PAUSE_MS);
  useEffect(() => {
    const { search: former = '', ...others } = query;
    if (search === former) return;
    const now = new URLSearchParams({ ...others, ...(search && { search }) });
    route(now.size === 0 ? path : `${path}?${now}`, true);
  }, [search]);
  const urls = useQuery({
    queryKey: ['urls', sitemap, generation, file.n, search],
    queryFn: () => get<readonly SitemapUrl[]>(addressOf(sitemap, file.n, search)),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Card title={`URLs of ${nameOf(file.url)}`} aside={counted(file.urlCount, 'URL')}>
      <Field label="Show only URLs that contain">
        {(tied) => (
          <input
            {...tied}
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
      <WhenLoaded query={urls}>
        {(rows) => (
          <>
            <p class="quiet" role="status">
              {urls.isPlaceholderData ? 'Loading …' : summary(rows.length, file.urlCount, search)}
            </p>
            {rows.length > 0 && <Rows rows={rows} />}
          </>
        )}
      </WhenLoaded>
    </Card>
  );
}

function Rows({ rows }: { readonly rows: readonly SitemapUrl[] }) {
  return (
    <div class="tall">
      <Table label="URLs" head={['URL', 'Last modified']} asCards>
        {rows.map((row, n) => (
          // The key is the position, because a file may have a URL twice.
          <tr key={n}>
            <th scope="row">
              <a href={findPage(row.loc)}>{row.loc}</a>
              <span class="below">{detailsOf(row)}</span>
            </th>
            <td class="nowrap" data-label="Last modified">
              {row.lastmod ?? '–'}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

function summary(shown: number, total: number, search: string): string {
  if (search !== '') {
    if (shown === 0) return `No URL in this file has “${search}” in it.`;
    return shown < MOST ? `${counted(shown, 'URL')} found.` : `The first ${MOST} that were found.`;
  }
  return shown < total ? `The first ${shown}.` : 'All of them.';
}

function addressOf(sitemap: SitemapId, file: number, search: string): string {
  const query = new URLSearchParams({ file: String(file), ...(search && { search }) });
  return `${sitemapPath(sitemap, 'urls')}?${query}`;
}
