/**
 * Knows each statement that `src` gives to Postgres in a test: `test/schema/statements.json` has them, and `plans.stores.test.ts`
 * judges their plans. A new one fails the file that runs it, until `npm run test:statements` has written them again.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { type KnownStatement, plainValues, STATEMENTS, shapeOf } from '../schema/statement-shape.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;
/** A line of JSON for each that was seen, while they are written again. */
const RECORDED = process.env.RECORD_STATEMENTS;

const isJudged = (text: string) => /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text);

function readShapes(): ReadonlySet<string> {
  if (!existsSync(STATEMENTS)) return new Set();
  const statements: readonly KnownStatement[] = JSON.parse(readFileSync(STATEMENTS, 'utf8'));
  return new Set(statements.map(({ text }) => shapeOf(text)));
}

/** Text to file. The files of a worker share the patched classes, and each loads this file again. */
const shared = globalThis as { knownStatements?: Map<string, string> };
const seen = shared.knownStatements ?? new Map<string, string>();
shared.knownStatements = seen;

/** The file of `src` that wrote the statement. Undefined: a test, or a package. */
function authorOf(stack: string): string | undefined {
  for (const line of stack.split('\n').slice(1)) {
    const path = /(?:file:\/\/)?(\/[^():]+\.ts)/.exec(line)?.[1];
    if (path === undefined || !path.startsWith(PROJECT)) continue;
    const file = relative(PROJECT, path);
    if (file.startsWith('test/support/known-statements') || file.startsWith('src/platform/postgres/'))
      continue;
    return file.startsWith('src/') ? file : undefined;
  }
  return undefined;
}

function note(statement: unknown, given: unknown): void {
  const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | null)?.text;
  if (typeof text !== 'string' || seen.has(text) || !isJudged(text)) return;
  const file = authorOf(new Error().stack ?? '');
  // Whoever asks a pool is not in the stack of its connection.
  if (file === undefined) return;
  seen.set(text, file);
  if (RECORDED === undefined) return;
  const values = (statement as { values?: unknown[] }).values ?? (Array.isArray(given) ? given : []);
  appendFileSync(RECORDED, `${JSON.stringify({ file, text, values: plainValues(values) })}\n`);
}

for (const prototype of [pg.Client.prototype, pg.Pool.prototype] as unknown as Record<
  'query',
  (...args: unknown[]) => unknown
>[]) {
  const query = prototype.query as ((...args: unknown[]) => unknown) & { isNoted?: true };
  if (query.isNoted) continue;
  prototype.query = Object.assign(
    function (this: unknown, ...args: unknown[]) {
      note(args[0], args[1]);
      return query.apply(this, args);
    },
    { isNoted: true as const },
  );
}

if (RECORDED === undefined) {
  afterAll(() => {
    const known = readShapes();
    const unknown = [...seen].filter(([text]) => !known.has(shapeOf(text)));
    seen.clear();
    expect(unknown, 'New statements: run npm run test:statements').toEqual([]);
  });
}
