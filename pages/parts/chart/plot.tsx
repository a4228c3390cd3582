/**
 * The drawing of a chart: the bars of each day, and the lane below them. It is made of HTML elements with heights in percent, so the
 * browser fits it to any width and to both colour schemes.
 */
import { ticks } from 'd3-array';
import { shortDay, tinyCount } from '../format.ts';
import { type Numbers, type Series, sum } from './series.ts';

export interface PlotProps {
  readonly numbers: Numbers;
  /** The chart in words. */
  readonly label: string;
  /** Called with the position of the day at which the mouse points. Null: it points at none. */
  readonly point: (day: number | null) => void;
}

/** With more days, the bars are too narrow for gaps between the parts of a stack. */
const MAX_DAYS_WITH_GAPS = 31;
const ABOUT_TICKS = 4;

export function Plot({ numbers: { days, series, lane }, label, point }: PlotProps) {
  const most = Math.max(1, ...days.map((_, day) => sum(series.map(({ values }) => values[day]!))));
  const mostInLane = Math.max(1, ...lane.values);
  // The numbers are whole, so a step at 0.5 has no meaning.
  const steps = ticks(0, most, ABOUT_TICKS).filter(Number.isInteger);
  const hasGaps = series.length > 1 && days.length <= MAX_DAYS_WITH_GAPS;
  const names = namedDays(days.length);
  return (
    <div class="plot" role="img" aria-label={label} onPointerLeave={() => point(null)}>
      <Scale steps={steps} most={most} />
      <Scale steps={[0, mostInLane]} most={mostInLane} isLane />
      {days.map((day, i) => (
        <div key={day} class="day" onPointerEnter={() => point(i)}>
          <div class={hasGaps ? 'bars bars-apart' : 'bars'}>{series.map((one) => barOf(one, i, most))}</div>
          <div class="below-bars">
            {names.has(i) && <span class="day-name">{i === days.length - 1 ? 'Today' : shortDay(day)}</span>}
          </div>
          <div class="bars bars-lane">{barOf(lane, i, mostInLane)}</div>
        </div>
      ))}
    </div>
  );
}

interface ScaleProps {
  readonly steps: readonly number[];
  readonly most: number;
  readonly isLane?: boolean;
}

function Scale({ steps, most, isLane = false }: ScaleProps) {
  return (
    <div class={isLane ? 'scale scale-lane' : 'scale'}>
      {steps.map((step) => (
        <span key={step} class="scale-step" style={{ bottom: percent(step, most) }}>
          <b>{tinyCount(step)}</b>
        </span>
      ))}
    </div>
  );
}

const barOf = ({ name, color, values }: Series, day: number, most: number) =>
  values[day]! > 0 && (
    <i key={name} class={`swatch-${color}`} style={{ height: percent(values[day]!, most) }} />
  );

const percent = (value: number, of: number) => `${(100 * value) / of}%`;

/** Returns the positions of the days whose names are shown: today, and back from there each day, each week or every four weeks. */
function namedDays(count: number): ReadonlySet<number> {
  const step = count <= 7 ? 1 : count <= 31 ? 7 : 28;
  return new Set(Array.from({ length: Math.ceil(count / step) }, (_, n) => count - 1 - n * step));
}
