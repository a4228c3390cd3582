/** Draws with uPlot: bars, and below them the lane. Only pages with a chart load this file, for it is large. */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { shortDay, tinyCount } from '../format.ts';
import { type Numbers, type Series, stacked } from './series.ts';

const BARS_PX = 152;
const LANE_PX = 44;
const MAX_BAR_PX = 26;
/** Bars of more days are too narrow for them. */
const MAX_DAYS_WITH_GAPS = 31;
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Tells the day that the mouse points at. Null: none. */
type Point = (day: number | null) => void;

/** Keeps the width of `box` and its colours until the returned function is called. */
export function drawChart(box: HTMLElement, numbers: Numbers, point: Point): () => void {
  let plots = draw(box, numbers, point);
  const end = () => {
    for (const plot of plots) plot.destroy();
  };
  const drawAgain = () => {
    end();
    plots = draw(box, numbers, point);
  };
  const observer = new ResizeObserver(() => {
    for (const plot of plots) {
      if (box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height: plot.height });
    }
  });
  observer.observe(box);
  DARK.addEventListener('change', drawAgain);
  return () => {
    observer.disconnect();
    DARK.removeEventListener('change', drawAgain);
    end();
  };
}

let charts = 0;

function draw(box: HTMLElement, { days, series, lane }: Numbers, point: Point): readonly uPlot[] {
  const color = colorsOf(box);
  const heights = stacked(series);
  // The highest bars are drawn first, and those below them over their lower parts.
  const order = [...series.keys()].reverse();
  // Both plots share one cursor.
  const { key } = uPlot.sync(`chart ${++charts}`);
  const axis = {
    stroke: color('--quiet'),
    font: `12px ${getComputedStyle(box).fontFamily}`,
    ticks: { show: false },
  };
  const grid = { stroke: color('--line'), width: 1 };
  const common = {
    width: box.clientWidth,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: { key } },
    hooks: { setCursor: [({ cursor }: uPlot) => point(cursor.idx ?? null)] },
  } satisfies Partial<uPlot.Options>;
  // Half a day on both sides, or the bars at the ends are cut.
  const x = { time: false, range: [-0.5, days.length - 0.5] as [number, number] };
  const y = { range: (_: uPlot, __: number, max: number): [number, number] => [0, Math.max(1, max)] };
  const bars = new uPlot(
    {
      ...common,
      height: BARS_PX,
      padding: [8, SIDE_PX, 0, 0],
      scales: { x, y },
      axes: [
        {
          ...axis,
          size: 24,
          gap: 6,
          grid: { show: false },
          splits: () => namedDays(days.length),
          values: (_, splits) =>
            splits.map((day) => (day === days.length - 1 ? 'Today' : shortDay(days[day]!))),
        },
        {
          ...axis,
          ...{ size: AXIS_PX, gap: 8, grid, incrs: WHOLE_STEPS },
          values: (_, splits) => splits.map((n) => tinyCount(n)),
        },
      ],
      series: [{}, ...order.map((i) => barsOf(series[i]!, color, series.length > 1))],
    },
    [[...days.keys()], ...order.map((i) => [...heights[i]!])] as uPlot.AlignedData,
    box,
  );
  const most = Math.max(1, ...lane.values);
  const below = new uPlot(
    {
      ...common,
      height: LANE_PX,
      padding: [8, SIDE_PX, 8, 0],
      scales: { x, y: { range: [0, most] } },
      axes: [
        { show: false },
        {
          ...axis,
          ...{ size: AXIS_PX, gap: 8, grid },
          splits: () => [0, most],
          values: (_, splits) => splits.map((n) => tinyCount(n)),
        },
      ],
      series: [{}, barsOf(lane, color, false)],
    },
    [[...days.keys()], [...lane.values]],
    box,
  );
  return [bars, below];
}

/** The width of the axis. Both plots begin and end at the same places. The word below the last bar is wider than the bar. */
const AXIS_PX = 44;
const SIDE_PX = 16;

function barsOf(
  { color: number, values }: Series,
  color: (name: string) => string,
  isStack: boolean,
): Partial<uPlot.Series> {
  return {
    fill: color(`--series-${number}`),
    // A thin gap tells parts of a stack apart without colour.
    ...(isStack && values.length <= MAX_DAYS_WITH_GAPS
      ? { stroke: color('--surface'), width: 1 }
      : { width: 0 }),
    points: { show: false },
    paths: uPlot.paths.bars!({ size: [0.6, MAX_BAR_PX], align: 0 }),
  };
}

/** Today, and the days a week or a month before each other. */
function namedDays(count: number): number[] {
  const step = count <= 7 ? 1 : count <= 31 ? 7 : 28;
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => count - 1 - n * step).reverse();
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
