/** Draws with uPlot. Only pages with a chart load this file, for it is large. */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { count, roundCount, shortDay } from '../format.ts';
import { type Numbers, stacked } from './series.ts';

export interface Drawing extends Numbers {
  /** Bars on top of each other; otherwise two beside each other. */
  readonly isStacked: boolean;
}

const HEIGHT_PX = 240;
const MAX_BAR_PX = 26;
/** Bars of more days are too narrow for them. */
const MAX_DAYS_WITH_GAPS = 31;
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Keeps the width of `box` and its colours until the returned function is called. */
export function drawChart(box: HTMLElement, drawing: Drawing): () => void {
  let plot = draw(box, drawing);
  const drawAgain = () => {
    plot.destroy();
    plot = draw(box, drawing);
  };
  const observer = new ResizeObserver(() => {
    if (box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height: HEIGHT_PX });
  });
  observer.observe(box);
  DARK.addEventListener('change', drawAgain);
  return () => {
    observer.disconnect();
    DARK.removeEventListener('change', drawAgain);
    plot.destroy();
  };
}

function draw(box: HTMLElement, { days, series, isStacked }: Drawing): uPlot {
  const color = colorsOf(box);
  const heights = isStacked ? stacked(series) : series.map(({ values }) => values);
  // The highest bars are drawn first, and those below them over their lower parts.
  const order = [...series.keys()].sort((a, b) =>
    isStacked && !series[a]!.isLine && !series[b]!.isLine ? b - a : 0,
  );
  const shown = order.map((i) => ({
    ...lineOrBars(series[i]!, isStacked, i, color),
    label: series[i]!.name,
    value: (_: uPlot, __: number, ___: number, day: number | null) =>
      day === null ? '–' : count(series[i]!.values[day]!),
  }));
  const axis = { stroke: color('--quiet'), font: `13px ${getComputedStyle(box).fontFamily}` };
  const options: uPlot.Options = {
    width: box.clientWidth,
    height: HEIGHT_PX,
    scales: {
      // Half a day on both sides, or the bars at the ends are cut.
      x: { time: false, range: [-0.5, days.length - 0.5] },
      y: { range: (_, __, max) => [0, uPlot.rangeNum(0, max, 0.1, true)[1] ?? 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { show: false },
        incrs: [1, 2, 5, 7, 10, 15, 30],
        values: (_, splits) => splits.map((day) => (days[day] === undefined ? '' : shortDay(days[day]))),
      },
      {
        ...axis,
        grid: { stroke: color('--line'), width: 1 },
        ticks: { show: false },
        incrs: WHOLE_STEPS,
        size: 56,
        values: (_, splits) => splits.map((n) => roundCount(n)),
      },
    ],
    series: [{ label: 'Day', value: (_, day) => (day === null ? '–' : shortDay(days[day]!)) }, ...shown],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
  };
  const data = [[...days.keys()], ...order.map((i) => [...heights[i]!])];
  return new uPlot(options, data as uPlot.AlignedData, box);
}

function lineOrBars(
  { color: number, isLine, values }: Drawing['series'][number],
  isStacked: boolean,
  place: number,
  color: (name: string) => string,
): Partial<uPlot.Series> {
  const own = color(`--series-${number}`);
  if (isLine) return { stroke: own, width: 2, points: { show: true, size: 5, fill: own } };
  const align = isStacked ? 0 : place === 0 ? -1 : 1;
  const size: uPlot.Series.BarsPathBuilderOpts['size'] = [isStacked ? 0.6 : 0.36, MAX_BAR_PX];
  return {
    fill: own,
    // A thin gap tells parts of a stack apart without colour.
    ...(isStacked && values.length <= MAX_DAYS_WITH_GAPS
      ? { stroke: color('--surface'), width: 1 }
      : { width: 0 }),
    points: { show: false },
    paths: uPlot.paths.bars!({ size, align, radius: isStacked ? 0 : 0.15 }),
  };
}

/** 1, 2, 5, 10 and so on: there is no half of a request. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

/** The browser resolves a variable with a light and a dark side only where it is used. */
function colorsOf(box: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = box.appendChild(document.createElement('span'));
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
