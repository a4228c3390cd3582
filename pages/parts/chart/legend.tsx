/**
 * The names of the series. If there are several, each also has its sum, or its number of one day. There is always room for the longest
 * number, so nothing moves.
 */
import { tinyCount } from '../format.ts';
import { type Series, sum } from './series.ts';

export function Legend({ series, day }: { readonly series: readonly Series[]; readonly day: number | null }) {
  return (
    <dl class="legend">
      {series.map(({ name, color, values }) => (
        <div key={name}>
          <dt>
            <span class={`swatch swatch-${color}`} />
            {name}
          </dt>
          {/* The large number above the chart already is the number of a single series. */}
          {series.length > 1 && (
            <dd>
              <span class="keeps-room" aria-hidden="true">
                {longest(values)}
              </span>
              <span>{day === null ? tinyCount(sum(values)) : tinyCount(values[day]!)}</span>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function longest(values: readonly number[]): string {
  const texts = [tinyCount(sum(values)), ...values.map(tinyCount)];
  return texts.reduce((one, other) => (other.length > one.length ? other : one));
}
