/** The sitemaps tab of a domain: its sitemaps and their schedules. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { useSitemaps } from '../../api/domain.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { ImportFirst } from './import-first.tsx';
import { SchedulesCard } from './schedules-card.tsx';
import { SitemapTable } from './sitemap-table.tsx';
import { uploadPage } from './upload-page.ts';
import { useChecklist } from './use-checklist.ts';

export function DomainSitemaps({ domain }: { readonly domain: DomainDetails }) {
  const { id, urlCount } = domain;
  const { list, rows } = useSitemaps(id);
  const { visits } = useChecklist(domain);
  return (
    <>
      <Card title="Sitemaps" aside={rows.length > 0 && counted(urlCount, 'URL')}>
        <WhenLoaded query={list}>
          {() =>
            rows.length === 0 ? (
              <Empty>
                <p>No sitemap yet. You can upload before the DNS is right, too.</p>
                <ImportFirst isNext domain={domain} />
                <a class="button" href={uploadPage(id)}>
                  Upload URLs
                </a>
              </Empty>
            ) : (
              <>
                <SitemapTable domainId={id} rows={rows} visits={visits} />
                <ShowMore list={list} what="sitemaps" />
              </>
            )
          }
        </WhenLoaded>
      </Card>
      <SchedulesCard domainId={id} />
    </>
  );
}
