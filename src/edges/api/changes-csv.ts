/** Lines of changes as CSV: a row for each change, with the fields of the entry before and after it. */
import { setImmediate } from 'node:timers/promises';
import { ENTRY_FIELDS } from '../../core/sitemap/entry-fields.ts';
import type { DetailedChange } from '../../features/changes/detail-changes.ts';
import { csvRow } from '../../platform/csv.ts';
import { asCsv } from './answer-form.ts';
import type { Lines } from './operation.ts';

const COLUMNS = ['change', 'loc', ...ENTRY_FIELDS.flatMap((field) => [`${field}_from`, `${field}_to`])];
/** Writing this many rows takes some milliseconds. */
const ROWS_AT_ONCE = 1_000;

/** `lines`: each buffer has whole lines of JSON. */
export function changesCsv(name: string, lines: AsyncGenerator<Buffer, void, undefined>): Lines {
  async function* pieces() {
    yield Buffer.from(`${COLUMNS.join(',')}\r\n`);
    for await (const piece of lines) {
      const texts = piece.toString().trimEnd().split('\n');
      for (let i = 0; i < texts.length; i += ROWS_AT_ONCE) {
        yield Buffer.from(
          texts
            .slice(i, i + ROWS_AT_ONCE)
            .map(rowOf)
            .join(''),
        );
        await setImmediate();
      }
    }
  }
  return asCsv(name, pieces());
}

function rowOf(line: string): string {
  const { change, loc, from, to }: DetailedChange = JSON.parse(line);
  return csvRow([
    change,
    loc,
    ...ENTRY_FIELDS.flatMap((field) => [from?.[field] ?? null, to?.[field] ?? null]),
  ]);
}
