/**
 * Checks that each statement of `src` that a test runs is known: `test/schema/statements.json` lists all statements, and
 * `plans.stores.test.ts` checks their plans. A new statement fails its test file until `npm run test:statements` updates the list.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { type KnownStatement, plainValues, STATEMENTS, shapeOf } from '../schema/statement-shape.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;
/** While the list is updated, this file gets a line of JSON for each statement. */
const RECORDED = process.env.RECORD_STATEMENTS;

const isJudged = (text: string) => /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text);

function readShapes(): ReadonlySet<string> {
  if (!existsSync(STATEMENTS)) return new Set();
  const statements: readonly KnownStatement[] = JSON.parse(readFileSync(STATEMENTS, 'utf8'));
  return new Set(statements.map(({ text }) => shapeOf(text)));
}

/** The source file of each statement. Test files of a worker share the patched classes, but load this module again. */
const shared = globalThis as { knownStatements?: Map<string, string> };
const seen = shared.knownStatements ?? new Map<string, string>();
shared.knownStatements = seen;

/** The file of `src` that wrote the statement. Undefined for a statement of a test or a package. */
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
  // The stack of a pool's connection does not show the file that called the pool.
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
