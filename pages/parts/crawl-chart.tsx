/** The chart of answers to crawlers by day and kind of crawler, of one domain or of the whole account. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { CrawlDay } from '../../src/edges/dashboard/wire.ts';
import { get } from '../api/request.ts';
import { ChartCard } from './chart/chart-card.tsx';
import { LaneTotal } from './chart/lane-total.tsx';
import { crawlNumbers, sum } from './chart/series.ts';
import { Chart } from './chart.tsx';
import { tinyCount } from './format.ts';
import { WhenLoaded } from './states.tsx';

/** `domain`: the id of a domain. Absent: the whole account. */
export function CrawlChart({ domain }: { readonly domain?: string }) {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: ['crawls-per-day', domain, days],
    queryFn: () =>
      get<readonly CrawlDay[]>(
        `crawls-per-day?days=${days}${domain === undefined ? '' : `&domain=${domain}`}`,
      ),
    placeholderData: keepPreviousData,
  });
  const numbers = useMemo(() => query.data && crawlNumbers(query.data), [query.data]);
  const answers = sum((numbers?.series ?? []).map(({ values }) => sum(values)));
  return (
    <ChartCard title="Crawlers" days={days} choose={setDays}>
      {(isTable) => (
        <WhenLoaded query={query}>
          {() =>
            answers === 0 ? (
              <p class="quiet">
                No crawler has come in the last {days} days. Submit the address of your sitemap to search
                engines.
              </p>
            ) : (
              <Chart
                numbers={numbers!}
                isTable={isTable}
                what="Requests of crawlers"
                total={{ value: tinyCount(answers), of: answers === 1 ? 'request' : 'requests' }}
                laneTotal={
                  <LaneTotal
                    count={sum(numbers!.lane.values)}
                    one="error"
                    many="errors"
                    href={domain === undefined ? undefined : '#errors'}
                  />
                }
              />
            )
          }
        </WhenLoaded>
      )}
    </ChartCard>
  );
}
