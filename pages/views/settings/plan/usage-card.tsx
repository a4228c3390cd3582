/** The usage of the account by day, as a table or a chart: requests, uploads, hosted URLs, and fetches of sitemaps. */

import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { Usage, UsageDay } from '../../../../client/src/answers.ts';
import { timeNow } from '../../../api/clock.ts';
import { get } from '../../../api/request.ts';
import { Card } from '../../../parts/card.tsx';
import { Chart } from '../../../parts/chart.tsx';
import { bytes, count, shortDay, tinyCount } from '../../../parts/format.ts';
import { SpanChoice } from '../../../parts/span-choice.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { sinceFirstUse, spanPath, usageNumbers, VIEWS, type ViewName } from './usage-numbers.ts';

export function UsageCard() {
  const [days, setDays] = useState(30);
  const [view, setView] = useState<ViewName>('uploads');
  // Show the table first: it has all numbers, and a chart has only those of one view.
  const [isTable, setTable] = useState(true);
  const path = spanPath(days, timeNow());
  const query = useQuery({
    queryKey: ['usage', path],
    queryFn: () => get<Usage>(path),
    placeholderData: keepPreviousData,
  });
  const numbers = useMemo(() => query.data && usageNumbers(query.data.days, view), [query.data, view]);
  const { what, bars, lane } = VIEWS[view];
  return (
    <Card
      title="Usage by day"
      aside={
        <div class="buttons">
          <button
            type="button"
            class="small"
            aria-pressed={!isTable}
            aria-label="Chart of usage"
            onClick={() => setTable(!isTable)}
          >
            Chart
          </button>
          {!isTable && <ViewChoice view={view} choose={setView} />}
          <SpanChoice label="Days of usage" days={days} choose={setDays} />
        </div>
      }
      foot={
        <>
          <span>Days are in UTC. What was served is counted some two minutes later.</span>
          <a href={`/dashboard/api/${path}&form=csv`} download>
            Download CSV
          </a>
        </>
      }
    >
      <WhenLoaded query={query}>
        {({ days: all }) =>
          sinceFirstUse(all).length === 0 ? (
            <p class="quiet">
              Nothing in the last {all.length} days. Uploads and visits of crawlers are counted here, day by
              day.
            </p>
          ) : isTable ? (
            <UsageTable days={sinceFirstUse(all)} />
          ) : (
            <Chart
              numbers={numbers!}
              isTable={false}
              what={what}
              total={{ value: tinyCount(bars.total(all)), of: bars.of }}
              laneTotal={<span>{lane.shown(lane.total(all))}</span>}
            />
          )
        }
      </WhenLoaded>
    </Card>
  );
}

interface ViewChoiceProps {
  readonly view: ViewName;
  readonly choose: (view: ViewName) => void;
}

function ViewChoice({ view, choose }: ViewChoiceProps) {
  return (
    <select
      class="inline"
      aria-label="What was used"
      value={view}
      onChange={(event) => choose(event.currentTarget.value as ViewName)}
    >
      {Object.entries(VIEWS).map(([name, { title }]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}

const NUMBERS = [
  'Requests',
  'URLs accepted',
  'Received',
  'URLs hosted',
  'Stored',
  'Fetches',
  'Served',
] as const;
const HEAD = ['Day (UTC)', ...NUMBERS.map((name) => ({ name, isNumber: true }))];

function UsageTable({ days }: { readonly days: readonly UsageDay[] }) {
  const rows = days.map((day) => ({
    day: day.day,
    cells: [
      ...[count(day.requests), count(day.acceptedUrls), bytes(day.receivedBytes)],
      ...[day.hostedUrls === null ? '' : count(day.hostedUrls)],
      ...[day.hostedBytes === null ? '' : bytes(day.hostedBytes)],
      ...[count(day.servedRequests), bytes(day.servedBytes)],
    ],
  }));
  return (
    <div class="tall">
      <Table asCards label="Usage by day" head={HEAD}>
        {rows.reverse().map(({ day, cells }) => (
          <tr key={day}>
            <th scope="row">{shortDay(day)}</th>
            {cells.map((cell, i) => (
              <td key={i} class="number" data-label={NUMBERS[i]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}
