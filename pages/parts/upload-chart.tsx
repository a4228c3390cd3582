/** URLs that were published by day, and refused uploads: of one domain, or of all. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { UploadDay } from '../../src/edges/dashboard/wire.ts';
import { get } from '../api/request.ts';
import { ChartCard } from './chart/chart-card.tsx';
import { LaneTotal } from './chart/lane-total.tsx';
import { sum, uploadNumbers } from './chart/series.ts';
import { Chart } from './chart.tsx';
import type { ChartOf } from './crawl-chart.tsx';
import { counted, tinyCount } from './format.ts';
import { WhenLoaded } from './states.tsx';

export function UploadChart({ domain, list }: ChartOf) {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: ['uploads-per-day', domain, days],
    queryFn: () =>
      get<readonly UploadDay[]>(
        `uploads-per-day?days=${days}${domain === undefined ? '' : `&domain=${domain}`}`,
      ),
    placeholderData: keepPreviousData,
  });
  const numbers = useMemo(() => query.data && uploadNumbers(query.data), [query.data]);
  const uploads = sum((query.data ?? []).map(({ published }) => published));
  const refused = sum(numbers?.lane.values ?? []);
  return (
    <ChartCard title="Uploads" days={days} choose={setDays}>
      {(isTable) => (
        <WhenLoaded query={query}>
          {() =>
            uploads + refused === 0 ? (
              <p class="quiet">Nothing was uploaded in the last {days} days.</p>
            ) : (
              <Chart
                numbers={numbers!}
                isTable={isTable}
                what="URLs"
                total={{
                  value: tinyCount(sum(numbers!.series[0]!.values)),
                  of: `URLs in ${counted(uploads, 'upload')}`,
                }}
                laneTotal={<LaneTotal count={refused} one="refused" many="refused" list={list} />}
              />
            )
          }
        </WhenLoaded>
      )}
    </ChartCard>
  );
}
