/** Four facts of an account. */
import type { Overview } from '../../../src/edges/dashboard/wire.ts';
import { capital, count, counted, utcDayInWords, weekOf } from '../../parts/format.ts';
import { Stats } from '../../parts/stats.tsx';
import { Time } from '../../parts/time.tsx';

export function Facts({ facts }: { readonly facts: Overview }) {
  const { urlCount, urlsAWeekAgo, fileCount, domainCount, lastUpload, lastCrawl, plan } = facts;
  return (
    <Stats
      facts={[
        {
          name: 'URLs hosted',
          value: count(urlCount),
          below: weekOf(urlCount, urlsAWeekAgo) ?? `in ${counted(fileCount, 'file')}`,
        },
        {
          name: 'Last upload',
          value: lastUpload === null ? 'None yet' : <Time at={lastUpload.at} />,
          below:
            lastUpload && `${lastUpload.sitemapName}${lastUpload.by === null ? '' : `, by ${lastUpload.by}`}`,
        },
        {
          name: 'Last crawl',
          value: lastCrawl === null ? 'None yet' : <CrawlTime crawl={lastCrawl} />,
          below: lastCrawl && [lastCrawl.crawler, lastCrawl.file].filter(Boolean).join(', '),
        },
        {
          name: `${capital(plan.name)} plan`,
          value: `${count(domainCount)} of ${count(plan.domains)}`,
          below: 'domains used',
        },
      ]}
    />
  );
}

function CrawlTime({ crawl: { at, day } }: { readonly crawl: NonNullable<Overview['lastCrawl']> }) {
  return at === null ? <span>{capital(utcDayInWords(day))}</span> : <Time at={at} />;
}
