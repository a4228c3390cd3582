/** The chart of published URLs and refused uploads by day, of the whole account. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { UploadDay } from '../../src/edges/dashboard/wire.ts';
import { get } from '../api/request.ts';
import { ChartCard } from './chart/chart-card.tsx';
import { LaneTotal } from './chart/lane-total.tsx';
import { sum, uploadNumbers } from './chart/series.ts';
import { Chart } from './chart.tsx';
import { counted, tinyCount } from './format.ts';
import { WhenLoaded } from './states.tsx';

export function UploadChart() {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: ['uploads-per-day', days],
    queryFn: () => get<readonly UploadDay[]>(`uploads-per-day?days=${days}`),
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
                laneTotal={<LaneTotal count={refused} one="refused" many="refused" />}
              />
            )
          }
        </WhenLoaded>
      )}
    </ChartCard>
  );
}
