/** Writes entries as CSV, with a column for everything that one of them has. */
import type { Entry } from '../../../src/core/sitemap/entry.ts';

/** In CSV, an empty text is an absent one. */
export function withoutEmptyTexts<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutEmptyTexts) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== '' && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmptyTexts(member)])) as Value;
}

export function writeCsv(entries: readonly Partial<Entry>[]): Buffer {
  const rows = entries.map((entry) => new Map(cellsOf(entry, '')));
  const columns = [...new Set(['loc', ...rows.flatMap((row) => [...row.keys()])])];
  const lines = rows.map((row) => columns.map((column) => quoted(row.get(column) ?? '')).join(','));
  return Buffer.from(`${[columns.map(quoted).join(','), ...lines].join('\n')}\n`);
}

function* cellsOf(object: object, prefix: string): Generator<[column: string, text: string]> {
  for (const [name, value] of Object.entries(object)) {
    if (name === 'hreflang') {
      for (const { href, hreflang } of value) yield [`hreflang:${hreflang}`, href];
    } else if (name === 'images') {
      for (const [i, image] of value.entries()) {
        for (const [column, text] of cellsOf(image, 'image_')) yield [`${column}${numberOf(i)}`, text];
      }
    } else if (Array.isArray(value)) {
      for (const [i, each] of value.entries()) yield [`${prefix}${name}${numberOf(i)}`, String(each)];
    } else if (typeof value === 'object') yield* cellsOf(value, `${prefix}${name}_`);
    else yield [`${prefix}${name}`, String(value)];
  }
}

const numberOf = (i: number) => (i === 0 ? '' : `_${i + 1}`);

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
