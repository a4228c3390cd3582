/** The figures that a benchmark yields, and how they are printed. */
import Table from 'cli-table3';

export interface Figure {
  readonly name: string;
  readonly value: number;
  /** As in URLs/s, MB, s; `x` for ratios. */
  readonly unit: string;
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

export async function printTable(bench: string, figures: AsyncIterable<Figure>): Promise<void> {
  const table = new Table({
    head: [bench, 'figure', 'unit', 'goal', ''],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'left', 'right', 'left'],
  });
  for await (const figure of figures) {
    const reached = figure.goal === undefined ? '' : isReached(figure) ? 'reached' : 'MISSED';
    table.push([figure.name, shown(figure.value), figure.unit, goalText(figure), reached]);
  }
  process.stdout.write(`${table.toString()}\n`);
}

export async function printJson(bench: string, figures: AsyncIterable<Figure>): Promise<void> {
  for await (const figure of figures) {
    const reached = figure.goal === undefined ? {} : { reached: isReached(figure) };
    process.stdout.write(`${JSON.stringify({ bench, ...figure, ...reached })}\n`);
  }
}

function isReached({ value, goal }: Figure): boolean {
  if (goal === undefined) return true;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

function goalText({ goal }: Figure): string {
  if (goal === undefined) return '';
  return 'atLeast' in goal ? `≥ ${shown(goal.atLeast)}` : `≤ ${shown(goal.atMost)}`;
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}
