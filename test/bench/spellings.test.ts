/** The spellings of other languages are theirs, and mean what they spell. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENTRY_KINDS } from '../../bench/ordinary/entry-kinds.ts';
import { asciiJson, dotNetJson, phpJson, prettyJson } from '../../bench/ordinary/spellings.ts';
import { richEntry } from '../../tools/rich-entry.ts';
import { needs } from '../support/needs.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const anyValue = fc.jsonValue({ stringUnit: 'binary' });

test.each(Object.entries({ asciiJson, phpJson, dotNetJson, prettyJson }))(
  '%s spells any value',
  (_, spell) => {
    fc.assert(
      fc.property(anyValue, (value) => {
        // `-0` is `0` in JSON.
        expect(JSON.parse(spell(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: PROPERTY_RUNS },
    );
  },
);

test('pretty-printed entries are those of a pretty-printed document', () => {
  const urls = Array.from({ length: 100 }, (_, i) => richEntry(i));
  const elements = urls.map(prettyJson).join(',');
  expect(`{\n  "urls": [${elements}\n  ]\n}`).toBe(JSON.stringify({ urls }, null, 2));
});

test("kinds of Python's json.dumps are what it writes, with its blanks or without", needs('python3'), () => {
  const ofPython = ENTRY_KINDS.filter(({ writtenBy }) => writtenBy.includes('json.dumps'));
  expect(ofPython).toHaveLength(3);
  for (const { name, textOf } of ofPython) {
    const texts = Array.from({ length: 300 }, (_, i) => textOf(i).trim());
    expect([dumped(texts, "', ', ': '"), dumped(texts, "',', ':'")], name).toContainEqual(texts);
  }
});

/** Each text as Python reads and writes it. */
function dumped(texts: readonly string[], separators: string): string[] {
  const script = `
import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line), separators=(${separators})))`;
  const { stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: texts.join('\n'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}
