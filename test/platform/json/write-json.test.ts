/** JSON that every parser reads. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusalAnswer } from '../../../src/core/web/error-answers.ts';
import { writeJson } from '../../../src/platform/json/write-json.ts';
import { invalidField } from '../../../src/platform/refusal.ts';
import { needs } from '../../support/needs.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

const HALF = '\ud83d';

/** Half of a pair, whole pairs, and what looks like an escape. */
const text = fc
  .array(
    fc.oneof(fc.constantFrom(HALF, '\ude00', '😀', '\\', '"', 'ud83d', '\\ud83d', '\n', '\0'), fc.string()),
  )
  .map((parts) => parts.join(''));

test('has the texts as they are, but for halves of surrogate pairs', () => {
  fc.assert(
    fc.property(text, (given) => {
      const [[name, value]] = Object.entries(JSON.parse(writeJson({ [given]: given }))) as [[string, string]];
      expect([name, value]).toEqual([given.toWellFormed(), given.toWellFormed()]);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a refusal that shows half of an emoji is read by others', needs('python3'), () => {
  const { text: json } = refusalAnswer(
    invalidField('urls[0].loc', `https://example.com/${HALF}`, 'is wrong'),
  );
  // Encoding is where Python refuses a half.
  const code = 'import json, sys; json.dumps(json.load(sys.stdin), ensure_ascii=False).encode()';
  expect(spawnSync('python3', ['-c', code], { input: json }).status).toBe(0);
});
