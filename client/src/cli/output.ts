/** Prints results on standard output, and all other texts on standard error. */
import { withoutControls } from './safe-text.ts';

/** A cell of a table. Numbers are aligned to the right. */
export type Cell = string | number | null | undefined;

export class Output {
  readonly isJson: boolean;
  readonly #isQuiet: boolean;

  constructor({ json = false, quiet = false }: { json?: boolean; quiet?: boolean }) {
    this.isJson = json;
    this.#isQuiet = quiet;
  }

  /** Prints a result for people. With --json, `printJson` prints the result instead. */
  print(text: string): void {
    if (!this.isJson) process.stdout.write(`${withoutControls(text)}\n`);
  }

  printJson(value: unknown): void {
    if (this.isJson) process.stdout.write(`${withoutControls(JSON.stringify(value, null, 2))}\n`);
  }

  printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    if (this.isJson) return;
    const shown = [head, ...rows.map((row) => row.map(shownCell))];
    // A call takes no more than some 100,000 arguments, so `Math.max(...lengths)` fails for long lists.
    const widths = head.map((_, column) =>
      shown.reduce((most, row) => Math.max(most, row[column]!.length), 0),
    );
    const isNumeric = head.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
    for (const row of shown) {
      const cells = row.map((cell, column) =>
        isNumeric[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      );
      this.print(cells.join('  ').trimEnd());
    }
  }

  /** Prints a list: a table for people, or with --json all members. */
  printList<Row>(rows: readonly Row[], head: readonly string[], cells: (row: Row) => readonly Cell[]): void {
    this.printJson(rows);
    if (this.isJson) return;
    if (rows.length === 0) this.say('There are none.');
    else this.printTable(head, rows.map(cells));
  }

  /** Prints a remark beside the result, unless the program is quiet. */
  say(text: string): void {
    if (!this.#isQuiet) process.stderr.write(`${withoutControls(text)}\n`);
  }
}

/** Prints an error, even if the program is quiet. */
export function complain(text: string): void {
  process.stderr.write(`waypost: ${withoutControls(text)}\n`);
}

function shownCell(cell: Cell): string {
  if (typeof cell === 'number') return cell.toLocaleString('en-US');
  // Escape line breaks: a line break in a cell would break the table.
  return withoutControls(cell ?? '').replaceAll('\n', '\\n');
}

export function shownBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
