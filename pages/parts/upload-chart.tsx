/** URLs and uploads by day, published and refused: of one domain, or of all. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { UploadDay } from '../../src/edges/dashboard/wire.ts';
import { get } from '../api/request.ts';
import { Card } from './card.tsx';
import { sum, type UploadMeasure, uploadNumbers } from './chart/series.ts';
import { Chart } from './chart.tsx';
import { roundCount } from './format.ts';
import { SpanChoice } from './span-choice.tsx';
import { WhenLoaded } from './states.tsx';

/** `domain`: its id. */
export function UploadChart({ domain }: { readonly domain?: string }) {
  const [days, setDays] = useState(30);
  const [measure, setMeasure] = useState<UploadMeasure>('URLs');
  const query = useQuery({
    queryKey: ['uploads-per-day', domain, days],
    queryFn: () =>
      get<readonly UploadDay[]>(
        `uploads-per-day?days=${days}${domain === undefined ? '' : `&domain=${domain}`}`,
      ),
    placeholderData: keepPreviousData,
  });
  const numbers = useMemo(() => query.data && uploadNumbers(query.data, measure), [query.data, measure]);
  const published = sum(numbers?.series[0]?.values ?? []);
  return (
    <Card
      title="Uploads"
      aside={
        <span>
          {numbers && roundCount(published)} <MeasureChoice measure={measure} choose={setMeasure} /> published
          in the last <SpanChoice label="Days of uploads" days={days} choose={setDays} />
        </span>
      }
    >
      <WhenLoaded query={query}>
        {() =>
          numbers?.series.every(({ values }) => sum(values) === 0) ? (
            <p class="quiet">Nothing was uploaded in the last {days} days.</p>
          ) : (
            <Chart numbers={numbers!} what={measure === 'URLs' ? 'URLs' : 'Uploads'} />
          )
        }
      </WhenLoaded>
    </Card>
  );
}

interface MeasureChoiceProps {
  readonly measure: UploadMeasure;
  readonly choose: (measure: UploadMeasure) => void;
}

function MeasureChoice({ measure, choose }: MeasureChoiceProps) {
  return (
    <select
      class="inline"
      aria-label="What is counted"
      value={measure}
      onChange={(event) => choose(event.currentTarget.value as UploadMeasure)}
    >
      <option value="URLs">URLs</option>
      <option value="uploads">uploads</option>
    </select>
  );
}
