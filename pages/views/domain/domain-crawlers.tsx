/** The files of a domain that crawlers fetched: the tab of its page. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { CrawlChart } from '../../parts/crawl-chart.tsx';
import { CrawlErrors } from '../crawlers/crawl-errors.tsx';
import { LastVisits } from '../crawlers/last-visits.tsx';

export function DomainCrawlers({ domain: { id } }: { readonly domain: DomainDetails }) {
  return (
    <>
      <CrawlChart domain={id} />
      <LastVisits domainId={id} />
      <CrawlErrors domainId={id} />
    </>
  );
}
