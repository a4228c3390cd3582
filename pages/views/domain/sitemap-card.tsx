/** The first sitemaps of a domain, on its overview. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { domainPage, useSitemaps } from '../../api/domain.ts';
import { Card } from '../../parts/card.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import type { Visits } from './last-visit.ts';
import { SitemapTable } from './sitemap-table.tsx';

const SHOWN = 3;

export function SitemapCard({
  domain,
  visits,
}: {
  readonly domain: DomainDetails;
  readonly visits: Visits | undefined;
}) {
  const { list, rows } = useSitemaps(domain.id);
  const all = list.hasNextPage ? 'See all' : `See all ${rows.length}`;
  return (
    <Card
      title="Sitemaps"
      aside={rows.length > SHOWN && <a href={domainPage(domain.id, 'sitemaps')}>{all}</a>}
    >
      <WhenLoaded query={list}>
        {() => <SitemapTable domainId={domain.id} rows={rows.slice(0, SHOWN)} visits={visits} isShort />}
      </WhenLoaded>
    </Card>
  );
}
