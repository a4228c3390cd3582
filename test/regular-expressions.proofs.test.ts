/**
 * No regular expression takes more than linear time on any input. recheck judges each one: it proves this with
 * automata, or searches for an attack where it cannot. Its JavaScript backend runs everywhere, and no judgement depends
 * on the clock.
 */
import { globSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { constructedOnImport, type Expression, findExpressions } from './support/find-regular-expressions.ts';

process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

const NO_CLOCK = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };

const expressions = new Map<string, Expression & { file: string }>();

beforeAll(async () => {
  const files = globSync(['{src,client/src,pages}/**/*.ts', 'workers/*.ts']);
  const found = new Map(
    await Promise.all(files.map(async (file) => [file, await findExpressions(file)] as const)),
  );
  const building = files.filter((file) => found.get(file)!.constructions > 0);
  const built = await constructedOnImport(building);
  for (const file of files) {
    const { literals, constructions } = found.get(file)!;
    const constructed = built.get(file) ?? [];
    // An expression that a function builds stays unseen here. It belongs at the top of its module.
    expect({ file, seen: constructed.length }).toEqual({ file, seen: constructions });
    for (const expression of [...literals, ...constructed]) {
      expressions.set(`${expression.source}/${expression.flags}`, { ...expression, file });
    }
  }
});

function judge({ source, flags }: Expression) {
  const proof = checkSync(source, flags, { checker: 'automaton', ...NO_CLOCK });
  // Look-ahead and back references are beyond automata.
  const isBeyond = proof.status === 'unknown' && proof.error.kind === 'unsupported';
  return isBeyond ? checkSync(source, flags, { checker: 'fuzz', ...NO_CLOCK }) : proof;
}

test('every regular expression of the source takes linear time', () => {
  expect(expressions.size).toBeGreaterThan(50);
  const verdicts = expressions.values().map((expression) => ({ expression, ...judge(expression) }));
  const slow = verdicts.filter(({ status }) => status !== 'safe');
  expect(slow.map(({ expression, status }) => ({ ...expression, status })).toArray()).toEqual([]);
});

test.each([
  ['blanks on both sides of what may be absent', '^ *(?:;)? *$'],
  ['an end that is sought from every beginning', '[^/]*$'],
  ['two ways to repeat', '^(?:a|a)*$'],
  ['what look-ahead hides from automata', '^(?!x)(?:a|a)*$'],
])('the judge finds the fault of %s', (_what, source) => {
  expect(judge({ source, flags: '' }).status).toBe('vulnerable');
});
