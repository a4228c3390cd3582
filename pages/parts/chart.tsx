/**
 * A chart of numbers by day. A lane below it has the failures, or another series, with a scale of its own. At rest, the numbers around the
 * drawing are sums. While a mouse points at a day, they are the numbers of the day. For people who see no chart or use no mouse, the
 * drawing has a summary in words, and a table has all numbers.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Figure } from './chart/figure.tsx';
import { Legend } from './chart/legend.tsx';
import { Plot } from './chart/plot.tsx';
import { sayChart } from './chart/say-chart.ts';
import { type Numbers, sum } from './chart/series.ts';
import { count, shortDay, tinyCount } from './format.ts';
import { Table } from './table.tsx';

export interface ChartProps {
  /** The numbers. The chart is drawn again when this is another object. */
  readonly numbers: Numbers;
  /** The word for the numbers, as in "URLs". */
  readonly what: string;
  /** The large number, and the unit behind it. */
  readonly total: { readonly value: string; readonly of: string };
  readonly isTable: boolean;
  /** The words of the lane's sum, as in "12 refused". */
  readonly laneTotal: ComponentChildren;
}

export function Chart({ isTable, ...props }: ChartProps) {
  return isTable ? <NumberTable {...props} /> : <Drawing {...props} />;
}

function Drawing({ numbers, what, total, laneTotal }: Omit<ChartProps, 'isTable'>) {
  const [day, point] = useState<number | null>(null);
  // The plot is not rendered again while the mouse moves over the days.
  const plot = useMemo(
    () => <Plot numbers={numbers} label={sayChart(numbers, what)} point={point} />,
    [numbers, what],
  );
  const { days, series, lane } = numbers;
  const ofDay = day !== null && days[day] !== undefined && { day, name: shortDay(days[day]) };
  return (
    <figure class="chart">
      <Figure
        total={total}
        ofDay={ofDay && { value: count(sumOfDay(numbers, ofDay.day)), of: `on ${ofDay.name}` }}
      />
      <Legend series={series} day={ofDay ? ofDay.day : null} />
      {plot}
      <p class="lane">
        <span>
          <span class={`swatch swatch-${lane.color}`} />
          {lane.name}
        </span>
        {ofDay ? <span>{tinyCount(lane.values[ofDay.day]!)}</span> : laneTotal}
      </p>
    </figure>
  );
}

const sumOfDay = ({ series }: Numbers, day: number) => sum(series.map(({ values }) => values[day]!));

function NumberTable({ numbers: { days, series, lane }, what }: Pick<ChartProps, 'numbers' | 'what'>) {
  const columns = [...series, lane];
  const head = [{ name: 'Day (UTC)' }, ...columns.map(({ name }) => ({ name, isNumber: true }))];
  return (
    <div class="tall">
      <Table label={`${what} by day`} head={head}>
        {days
          .map((day, i) => (
            <tr key={day}>
              <th scope="row">{shortDay(day)}</th>
              {columns.map(({ name, values }) => (
                <td key={name} class="number">
                  {count(values[i]!)}
                </td>
              ))}
            </tr>
          ))
          .reverse()}
      </Table>
    </div>
  );
}
