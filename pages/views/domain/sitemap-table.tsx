/** The sitemaps of a domain. */
import type { Domain, Sitemap } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { Card } from '../../parts/card.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { uploadPage } from './upload-page.ts';

const HEAD = [
  'Name',
  { name: 'URLs', isNumber: true },
  { name: 'Files', isNumber: true },
  { name: 'Size', isNumber: true },
  'Last upload',
] as const;

export function SitemapTable({ domain }: { readonly domain: Domain }) {
  const { id, urlCount = 0 } = domain;
  const { list, rows } = useRows<Sitemap>(
    domainKey(id, 'sitemaps'),
    `${domainPath(id, 'sitemaps')}?limit=100`,
  );
  return (
    <Card title="Sitemaps" aside={rows.length > 0 && counted(urlCount, 'URL')}>
      <WhenLoaded query={list}>
        {() =>
          rows.length === 0 ? (
            <Empty>
              <p>There is no sitemap yet. You can upload before the domain is served, too.</p>
              <a class="button primary" href={uploadPage(id)}>
                Upload URLs
              </a>
            </Empty>
          ) : (
            <>
              <Table label="Sitemaps" head={HEAD}>
                {rows.map((sitemap) => (
                  <Row key={sitemap.name} domainId={id} sitemap={sitemap} />
                ))}
              </Table>
              <ShowMore list={list} what="sitemaps" />
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

function Row({ domainId, sitemap }: { readonly domainId: string; readonly sitemap: Sitemap }) {
  const { name, urlCount, files, bytes: length, lastUpdated, sitemapUrl } = sitemap;
  return (
    <tr>
      <th scope="row">
        <a href={domainPage(domainId, 'sitemaps', name)}>{name}</a>
        <span class="below">{new URL(sitemapUrl).pathname}</span>
      </th>
      <td class="number">{count(urlCount)}</td>
      <td class="number">{count(files)}</td>
      <td class="number">{bytes(length)}</td>
      <td>
        <Time at={lastUpdated} />
      </td>
    </tr>
  );
}
