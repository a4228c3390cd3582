/** The first page: the needs, the main facts, the domains, and the charts. An account without a domain sees its first steps. */
import { useQuery } from '@tanstack/preact-query';
import { overviewQuery } from '../api/queries.ts';
import { CrawlChart } from '../parts/crawl-chart.tsx';
import { Icon } from '../parts/icon.tsx';
import { NeedsList, useNeeds } from '../parts/needs/needs-list.tsx';
import { Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/states.tsx';
import { UploadChart } from '../parts/upload-chart.tsx';
import { DomainTable } from './overview/domain-table.tsx';
import { Facts } from './overview/facts.tsx';
import { FirstSteps } from './overview/first-steps.tsx';

/** Visits of crawlers change nothing that `live.ts` notices. So the page reads its facts again after this time. */
const EVERY_MS = 60_000;

export function Overview() {
  const overview = useQuery({ ...overviewQuery, refetchInterval: EVERY_MS });
  const needs = useNeeds();
  const hasDomains = overview.data !== undefined && overview.data.domainCount > 0;
  // A page has one filled button: the next step. If there are needs, the first need has it.
  const isCalm = needs.data?.total === 0;
  return (
    <Page
      title="Overview"
      actions={
        hasDomains && (
          <>
            <a class="button" href="/dashboard/domains/new">
              Add domain
            </a>
            <a class={isCalm ? 'button primary' : 'button'} href="/dashboard/upload">
              <Icon name="plus" /> Upload URLs
            </a>
          </>
        )
      }
    >
      <WhenLoaded query={overview}>
        {(facts) =>
          facts.domainCount === 0 ? (
            <FirstSteps />
          ) : (
            <>
              {needs.data && <NeedsList needs={needs.data} />}
              <Facts facts={facts} />
              <DomainTable facts={facts} />
              <div class="halves">
                <UploadChart />
                <CrawlChart />
              </div>
              <p class="quiet small">
                Charts use UTC days; times are in your time zone ({zone()}). Crawlers are counted by the name
                they give.
              </p>
            </>
          )
        }
      </WhenLoaded>
    </Page>
  );
}

/** Returns the city of the zone, as in `Berlin` for Europe/Berlin. */
function zone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone.split('/').at(-1)!.replaceAll('_', ' ');
}
