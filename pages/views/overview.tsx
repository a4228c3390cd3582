/** The first page: what there is, what moves, and what wants attention. */
import { useQuery } from '@tanstack/preact-query';
import type { Overview as OverviewFacts } from '../../src/edges/dashboard/wire.ts';
import { get } from '../api/request.ts';
import { CrawlChart } from '../parts/crawl-chart.tsx';
import { capital, counted, roundCount } from '../parts/format.ts';
import { Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/states.tsx';
import { Stats } from '../parts/stats.tsx';
import { UploadChart } from '../parts/upload-chart.tsx';
import { DomainTable } from './overview/domain-table.tsx';
import { FirstSteps } from './overview/first-steps.tsx';
import { RunningUploads } from './overview/running-uploads.tsx';

export function Overview() {
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => get<OverviewFacts>('overview') });
  const hasDomains = overview.data !== undefined && overview.data.domainCount > 0;
  return (
    <Page
      title="Overview"
      actions={
        hasDomains && (
          <a class="button primary" href="/dashboard/domains/new">
            Add domain
          </a>
        )
      }
    >
      <WhenLoaded query={overview}>
        {(facts) =>
          facts.domainCount === 0 ? (
            <FirstSteps />
          ) : (
            <>
              <Facts facts={facts} />
              <RunningUploads />
              <DomainTable />
              <UploadChart />
              <CrawlChart />
            </>
          )
        }
      </WhenLoaded>
    </Page>
  );
}

function Facts({ facts }: { readonly facts: OverviewFacts }) {
  const { urlCount, fileCount, domainCount, needsYouCount, plan } = facts;
  return (
    <Stats
      facts={[
        { name: 'URLs hosted', value: roundCount(urlCount), below: counted(urlCount, 'URL') },
        {
          name: 'Sitemap files',
          value: roundCount(fileCount),
          below: `on ${counted(domainCount, 'domain')}`,
        },
        {
          name: 'Needs you',
          value: roundCount(needsYouCount),
          below: needsYouCount === 0 ? 'all is well' : 'see below',
        },
        {
          name: 'Plan',
          value: capital(plan.name),
          below: `${domainCount} of ${counted(plan.domains, 'domain')}`,
        },
      ]}
    />
  );
}
