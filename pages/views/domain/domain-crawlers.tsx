/** The crawlers tab of a domain: requests by day, the last visits to files, and errors. */
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
