/** What crawlers fetched of a domain. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { CrawlChart } from '../../parts/crawl-chart.tsx';

export function DomainCrawlers({ domain: { id } }: { readonly domain: DomainDetails }) {
  return <CrawlChart domain={id} />;
}
