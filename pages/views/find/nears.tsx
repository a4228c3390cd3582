/** URLs in sitemaps that differ a little from the URL that a person looked for. */
import type { FoundUrl } from '../../../client/src/answers.ts';
import { findPage } from '../../api/find-page.ts';
import { Card } from '../../parts/card.tsx';
import { capital } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { sitemapPage } from '../sitemap/sitemap-queries.ts';

type Near = FoundUrl['near'][number];

export function Nears({ near, hasMore }: { readonly near: readonly Near[]; readonly hasMore: boolean }) {
  return (
    <Card title="Close URLs" foot={hasMore && <span>There are more. Choose a domain to see them.</span>}>
      <Table label="Close URLs" head={['URL', 'What differs', 'Sitemap']} asCards>
        {near.map(({ loc, differences, domainId, domain, sitemapName, file }) => (
          <tr key={`${loc} ${file.url}`}>
            <th scope="row">
              <a href={findPage(loc)}>{loc}</a>
            </th>
            <td data-label="What differs">
              {capital(differences.map((one) => wordsOf(one, loc)).join(', '))}
            </td>
            <td data-label="Sitemap">
              <a href={sitemapPage({ domainId, name: sitemapName })}>{sitemapName}</a>
              <span class="below">{domain}</span>
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

/** `loc`: the URL in the sitemap. */
function wordsOf(difference: Near['differences'][number], loc: string): string {
  const { protocol, host, pathname } = new URL(loc);
  switch (difference) {
    case 'scheme':
      return protocol === 'http:' ? 'http in place of https' : 'https in place of http';
    case 'www':
      return host.startsWith('www.') ? 'with www' : 'without www';
    case 'trailingSlash':
      return pathname.endsWith('/') ? 'ends with a slash' : 'no slash at the end';
    case 'letterCase':
      return 'capital letters';
    case 'percentEncoding':
      return 'percent-encoding';
  }
}
