/** Answers to crawlers by day and kind of crawler: of one domain, or of all. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { CrawlDay } from '../../src/edges/dashboard/wire.ts';
import { get } from '../api/request.ts';
import { Card } from './card.tsx';
import { crawlNumbers, sum } from './chart/series.ts';
import { Chart } from './chart.tsx';
import { roundCount } from './format.ts';
import { SpanChoice } from './span-choice.tsx';
import { WhenLoaded } from './states.tsx';

/** `domain`: its id. */
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
  const answers = sum(
    (numbers?.series ?? []).filter(({ isLine }) => !isLine).map(({ values }) => sum(values)),
  );
  return (
    <Card
      title="Crawlers"
      aside={
        <span>
          {numbers && `${roundCount(answers)} answers in the last`}{' '}
          <SpanChoice label="Days of crawlers" days={days} choose={setDays} />
        </span>
      }
    >
      <WhenLoaded query={query}>
        {() =>
          answers === 0 ? (
            <p class="quiet">
              No crawler has asked for your sitemaps in the last {days} days. After the first upload, tell
              search engines where your sitemap is.
            </p>
          ) : (
            <Chart numbers={numbers!} what="Answers to crawlers" isStacked />
          )
        }
      </WhenLoaded>
    </Card>
  );
}
