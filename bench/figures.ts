/** The figures that a benchmark yields, and how they are printed. */
import Table from 'cli-table3';

export interface Figure {
  readonly name: string;
  readonly value: number;
  /** For example URLs/s, MB or s. Ratios have the unit `x`. */
  readonly unit: string;
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  /** Figures with the same row are printed beside each other. At most one of them has a goal. */
  readonly row?: string;
}

export async function printTable(bench: string, figures: AsyncIterable<Figure>): Promise<void> {
  const single: Figure[] = [];
  const rows = new Map<string, Figure[]>();
  for await (const figure of figures) {
    if (figure.row === undefined) single.push(figure);
    else rows.set(figure.row, [...(rows.get(figure.row) ?? []), figure]);
  }
  if (single.length > 0) printList(bench, single);
  if (rows.size > 0) printRows(bench, rows);
}

export async function printJson(bench: string, figures: AsyncIterable<Figure>): Promise<void> {
  for await (const figure of figures) {
    const reached = figure.goal === undefined ? {} : { reached: isReached(figure) };
    process.stdout.write(`${JSON.stringify({ bench, ...figure, ...reached })}\n`);
  }
}

/** Prints a line for each figure. */
function printList(bench: string, figures: readonly Figure[]): void {
  const lines = figures.map((figure) => {
    return [figure.name, shown(figure.value), figure.unit, goalText(figure), reachedText(figure)];
  });
  printLines([bench, 'figure', 'unit', 'goal', ''], ['left', 'right', 'left', 'right', 'left'], lines);
}

/** Prints a line for each row, and a column for each name of a figure. */
function printRows(bench: string, rows: ReadonlyMap<string, readonly Figure[]>): void {
  const columns = new Map([...rows.values()].flat().map((figure) => [figure.name, columnText(figure)]));
  const lines = Array.from(rows, ([row, figures]) => {
    const values = [...columns.keys()].map((name) => {
      const figure = figures.find((each) => each.name === name);
      return figure === undefined ? '' : shown(figure.value);
    });
    const judged = figures.find(({ goal }) => goal !== undefined);
    return [row, ...values, judged ? goalText(judged) : '', judged ? reachedText(judged) : ''];
  });
  const ofValues = Array.from(columns, () => 'right' as const);
  printLines([bench, ...columns.values(), 'goal', ''], ['left', ...ofValues, 'right', 'left'], lines);
}

function printLines(
  head: readonly string[],
  aligns: readonly ('left' | 'right')[],
  lines: readonly string[][],
): void {
  const style = { head: [], border: [], compact: true };
  const table = new Table({ head: [...head], style, colAligns: [...aligns] });
  table.push(...lines);
  process.stdout.write(`${table.toString()}\n`);
}

function columnText({ name, unit }: Figure): string {
  return unit === '' || unit === 'x' ? name : `${name}\n${unit}`;
}

function reachedText(figure: Figure): string {
  if (figure.goal === undefined) return '';
  return isReached(figure) ? 'reached' : 'MISSED';
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
