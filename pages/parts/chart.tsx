/**
 * A chart of numbers by day. Its words and its table say the same to people who do not see it or use no
 * mouse.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sayChart } from './chart/say-chart.ts';
import type { Numbers } from './chart/series.ts';
import { count, shortDay } from './format.ts';
import { Table } from './table.tsx';

export interface ChartProps {
  /** It is drawn again when this is another object. */
  readonly numbers: Numbers;
  /** As in "URLs". */
  readonly what: string;
  /** Bars on top of each other; default: beside each other. */
  readonly isStacked?: boolean;
}

export function Chart({ numbers, what, isStacked = false }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    let isGone = false;
    let end = () => {};
    import('./chart/draw-chart.ts').then(
      ({ drawChart }) => {
        if (!isGone) end = drawChart(box.current!, { ...numbers, isStacked });
      },
      // After a new version, or offline.
      () => setMissing(true),
    );
    return () => {
      isGone = true;
      end();
    };
  }, [numbers, isStacked]);
  return (
    <figure class="chart">
      {isMissing ? (
        <p>{sayChart(numbers, what)}</p>
      ) : (
        <div
          ref={box}
          class={isStacked ? 'plot plot-stacked' : 'plot'}
          role="img"
          aria-label={sayChart(numbers, what)}
        />
      )}
      <details>
        <summary>Show as a table</summary>
        <NumberTable numbers={numbers} what={what} />
      </details>
    </figure>
  );
}

function NumberTable({ numbers: { days, series }, what }: Pick<ChartProps, 'numbers' | 'what'>) {
  const head = ['Day', ...series.map(({ name }) => ({ name, isNumber: true }) as const)];
  return (
    <Table label={`${what} by day`} head={head}>
      {days
        .map((day, i) => (
          <tr key={day}>
            <th scope="row">{shortDay(day)}</th>
            {series.map(({ name, values }) => (
              <td key={name} class="number">
                {count(values[i]!)}
              </td>
            ))}
          </tr>
        ))
        .reverse()}
    </Table>
  );
}
