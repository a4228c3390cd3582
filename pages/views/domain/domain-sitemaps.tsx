/** The sitemaps tab of a domain: its sitemaps and their schedules. Many sitemaps can be searched by name. */
import { useState } from 'preact/hooks';
import type { DomainDetails } from '../../../client/src/answers.ts';
import { useSitemaps } from '../../api/domain.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { ImportFirst } from './import-first.tsx';
import { SchedulesCard } from './schedules-card.tsx';
import { SitemapTable } from './sitemap-table.tsx';
import { uploadPage } from './upload-page.ts';
import { useChecklist } from './use-checklist.ts';

/** With fewer sitemaps, all are seen at a glance. */
const MANY = 10;

export function DomainSitemaps({ domain }: { readonly domain: DomainDetails }) {
  const { id, urlCount } = domain;
  const [search, setSearch] = useState('');
  const { list, rows } = useSitemaps(id, search);
  const { visits } = useChecklist(domain);
  return (
    <>
      <Card
        title="Sitemaps"
        aside={
          search || rows.length > MANY ? (
            <SearchField label="Search sitemaps" value={search} change={setSearch} />
          ) : (
            rows.length > 0 && counted(urlCount, 'URL')
          )
        }
      >
        <WhenLoaded query={list}>
          {() =>
            search && rows.length === 0 ? (
              <p class="quiet">No sitemap contains “{search}”.</p>
            ) : rows.length === 0 ? (
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
