/** A statement of `src`, as `statements.json` keeps it. */
export interface KnownStatement {
  /** Of src. */
  readonly file: string;
  readonly text: string;
  /** Of its parameters: their kinds and numbers, not what a test made up. */
  readonly values: readonly unknown[];
}

/** Tables that only a transaction or a command has, so their statements have no plan outside of it. */
export const TEMPORARY = /\b(new_crawls|stored_objects|suspects)\b/;

export const STATEMENTS = new URL('./statements.json', import.meta.url).pathname;

/** In one line, without comments. */
export function plainText(text: string): string {
  return text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
}

/** Values as the planner wants them, the same in each run. */
export function plainValues(values: readonly unknown[]): unknown[] {
  return values.map(plainValue);
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 3).map(plainValue);
  if (Buffer.isBuffer(value)) return '';
  if (value instanceof Date) return '2026-01-15T00:00:00Z';
  if (typeof value !== 'string') return value ?? null;
  if (/^\s*[[{]/.test(value)) return value.length < 500 ? value : '[]';
  if (/^\d{4}-\d\d-\d\d/.test(value)) return '2026-01-15T00:00:00Z';
  return /^-?\d+$/.test(value) ? value : 'x';
}

/** The same for statements that differ in constants, layout and comments. */
export function shapeOf(text: string): string {
  return plainText(text)
    .replace(/'[^']*'/g, "'?'")
    .replace(/(?<![$\w])\d+(\.\d+)?/g, '?');
}
