import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { printJson } from '../../src/cli/print-json.ts';
import { type ListOptions, printList } from '../../src/cli/print-list.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

async function printed(work: () => unknown): Promise<{ stdout: string; stderr: string }> {
  const streams = [process.stdout, process.stderr].map((one) => vi.spyOn(one, 'write').mockReturnValue(true));
  try {
    await work();
    const [stdout = '', stderr = ''] = streams.map(({ mock }) => mock.calls.map(([text]) => text).join(''));
    return { stdout, stderr };
  } finally {
    for (const one of streams) one.mockRestore();
  }
}

/** Prints rows in pages, and remembers how many were read at once. */
function printing(values: readonly unknown[], options: ListOptions, atOnce: number) {
  const rows = values.map((value, position) => ({ value, position }));
  const asked: number[] = [];
  const printedList = printed(() =>
    printList<(typeof rows)[number]>(options, {
      async read(limit, last) {
        asked.push(limit);
        const begin = last === undefined ? 0 : last.position + 1;
        return rows.slice(begin, begin + limit);
      },
      ...{ atOnce, head: ['name'], cellsOf: ({ value }) => [String(value)] },
    }),
  );
  return printedList.then((output) => ({ ...output, asked }));
}

test('the JSON of pages is that of the whole list, without positions', async () => {
  const value = fc.record({ name: fc.string(), at: fc.constant(new Date(0)), of: fc.array(fc.nat()) });
  await fc.assert(
    fc.asyncProperty(fc.array(value), fc.integer({ min: 1, max: 4 }), async (values, atOnce) => {
      const { stdout } = await printing(values, { json: true }, atOnce);
      expect(stdout).toBe((await printed(() => printJson(values.map((one) => ({ value: one }))))).stdout);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('people see a table for each page, and one without rows', async () => {
  const tables = async (values: readonly string[]) => (await printing(values, {}, 2)).stdout;
  expect((await tables(['a', 'b', 'c'])).match(/name|│ [abc]/g)).toEqual([
    ...['name', '│ a', '│ b'],
    ...['name', '│ c'],
  ]);
  expect((await tables(['a', 'b'])).match(/name/g)).toHaveLength(1);
  expect((await tables([])).match(/name/g)).toHaveLength(1);
});

test.each([
  [1, 'There are more than the 1 of --limit.\n'],
  [2, 'There are more than the 2 of --limit.\n'],
  [3, ''],
  [4, ''],
])('a limit of %i of three rows says on standard error whether it leaves any out', async (limit, said) => {
  for (const atOnce of [1, 2, 100, Number.POSITIVE_INFINITY]) {
    const { stdout, stderr, asked } = await printing(['a', 'b', 'c'], { json: true, limit }, atOnce);
    expect({ shown: JSON.parse(stdout).length, stderr }).toEqual({ shown: Math.min(limit, 3), stderr: said });
    expect(Math.max(...asked)).toBe(Math.min(atOnce, limit + 1));
  }
});
