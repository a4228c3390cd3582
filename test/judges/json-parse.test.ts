/**
 * JSON.parse judges documents: for any document in any chunks, our verdict is that of JSON.parse on the whole text,
 * followed by our rules. A malformed document may be refused for a violation instead, if the violation comes before the
 * fault.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { anyDocument } from './arbitrary-document.ts';
import { verdictOn } from './upload-path.ts';

const MAX_DEPTH = 32;
/** The bytes that may follow an element. */
const [COMMA, CLOSE_ARRAY] = Buffer.from(',]');

/** Returns the elements of `urls` (none if it is not an array); undefined if the document is malformed. */
function parseWhole(body: Uint8Array): unknown[] | undefined {
  try {
    // The decoder removes a byte order mark, as we do.
    const document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
    if (depthOf(document) > MAX_DEPTH) return undefined;
    return Array.isArray(document.urls) ? document.urls : [];
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, inner) => Math.max(deepest, depthOf(inner)), 0);
}

function violationsIn(elements: readonly unknown[]) {
  return elements.flatMap((element, i) => {
    const parsed = parseEntry(element, i);
    return 'violations' in parsed ? parsed.violations : [];
  });
}

async function expectSameVerdict(body: Uint8Array, sizes: readonly number[]): Promise<void> {
  const verdict = await verdictOn(body, sizes);
  const elements = parseWhole(body);
  const violations = violationsIn(elements ?? elementsBeforeFault(body));
  if (verdict.kind === 'violations') {
    // All violations in the part that was read. It ends with the batch of the first violation.
    expect(verdict.count).toBe(verdict.violations.length);
    expect(verdict.violations).toEqual(violations.slice(0, verdict.count));
    expect(verdict.count).toBeGreaterThan(0);
  } else if (elements === undefined) {
    expect(verdict).toEqual({ kind: 'malformed' });
    expect(violations).toEqual([]);
  } else {
    expect(violations).toEqual([]);
    const files = elements.length === 0 ? [] : [sitemapDocument(...elements.map(accepted))];
    expect(verdict).toEqual({ kind: 'accepted', files });
  }
}

/** The elements of the longest beginning that becomes a document if the array and the object are closed after it. */
function elementsBeforeFault(body: Uint8Array): unknown[] {
  for (let end = body.length - 1; end > 0; end--) {
    if (body[end] !== COMMA && body[end] !== CLOSE_ARRAY) continue;
    const elements = parseWhole(Buffer.concat([body.subarray(0, end), Buffer.from(']}')]));
    if (elements !== undefined) return elements;
  }
  return [];
}

const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });

/** Entries, some of which break rules, and other values. */
const anyElement = fc.oneof(
  { weight: 3, arbitrary: anyEntry.map((entry) => JSON.stringify(entry)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        anyEntry,
        fc.constantFrom('loc', 'priority', 'images', 'news', 'video'),
        fc.jsonValue({ maxDepth: 2 }),
      )
      .map(([entry, name, value]) => JSON.stringify({ ...entry, [name]: value })),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3, stringUnit: 'binary' }) },
);
const anyInvalidDocument = fc
  .array(anyElement, { maxLength: 8 })
  .map((elements) => `{"domain":"maps.example.com","urls":[${elements.join(',')}]}`);

const telling = fc
  .constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', '.', 'e', 'null', '\n', '\u0001', '\ufeff')
  .map((text) => new Uint8Array(Buffer.from(text)));
const edit = fc.record({
  at: fc.nat(),
  removed: fc.oneof(fc.nat(2), fc.constant(Number.POSITIVE_INFINITY)),
  inserted: fc.oneof(telling, fc.uint8Array({ maxLength: 2 })),
});

function edited(
  body: Buffer,
  { at, removed, inserted }: { at: number; removed: number; inserted: Uint8Array },
) {
  const position = at % (body.length + 1);
  return Buffer.concat([body.subarray(0, position), inserted, body.subarray(position + removed)]);
}

describe('the verdict is that of JSON.parse and the rules', () => {
  test('on any document of valid entries', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument(6), sizes, (text, sizes) => expectSameVerdict(Buffer.from(text), sizes)),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('on any document in which some entries break rules or are not entries', async () => {
    await fc.assert(
      fc.asyncProperty(anyInvalidDocument, sizes, (text, sizes) =>
        expectSameVerdict(Buffer.from(text), sizes),
      ),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('on any document with some bytes replaced, removed or inserted, or cut off after them', async () => {
    const document = fc.oneof(anyDocument(3), anyInvalidDocument);
    await fc.assert(
      fc.asyncProperty(document, edit, sizes, (text, change, sizes) =>
        expectSameVerdict(edited(Buffer.from(text), change), sizes),
      ),
      { numRuns: 2 * PROPERTY_RUNS },
    );
  });

  test('on every beginning of a document', async () => {
    for (const body of [RICH_DOCUMENT, FAULTY_DOCUMENT]) {
      for (let length = 0; length <= body.length; length++) {
        await expectSameVerdict(body.subarray(0, length), [1_000]);
      }
    }
  });

  test('on a document cut in two at every byte, or into single bytes', async () => {
    for (const body of [RICH_DOCUMENT, FAULTY_DOCUMENT]) {
      for (let length = 1; length < body.length; length++)
        await expectSameVerdict(body, [length, body.length]);
      await expectSameVerdict(body, [1]);
    }
  });
});

const RICH_DOCUMENT = Buffer.from(`\ufeff {"urls" : [
  {"loc":"https://example.com/\\u00e9é😀?a&\\"]}","priority":5e-1,"x":[{"]":"}"}]} ,
  {"loc":"https:\\/\\/example.com\\/","images":[{"loc":"https://example.com/1","title":"\\ud83d\\ude00\\\\"}]}
  ],"domain":"maps.example.com"} `);
const FAULTY_DOCUMENT = Buffer.from(
  '{"urls":[{"loc":"https://é.example/"},{"loc":"😀"},[1.5e-3,null],{"priority":7}],"domain":"é"}',
);

const LOC = '"loc":"https://example.com/"';

describe('of an entry', () => {
  test.each([
    ['a member given twice counts as given last', `{"loc":1,${LOC}}`, undefined],
    ['a member given twice is judged as given last', `{${LOC},"loc":1}`, 'loc'],
    ['a member given twice, last as null, is absent', `{${LOC},"priority":7,"priority":null}`, undefined],
    ['an inner member given twice counts as given last', `{${LOC},"images":[{"loc":{},${LOC}}]}`, undefined],
    ['__proto__ gives no members', `{"__proto__":{${LOC}}}`, 'loc'],
    [
      '__proto__ in a nested object gives none either',
      `{${LOC},"images":[{"__proto__":{${LOC}}}]}`,
      'images[0].loc',
    ],
    ['an escaped name is the same name', `{"\\u006coc":"https://example.com/"}`, undefined],
    ['a number beyond the range of doubles is none', `{${LOC},"priority":1e400}`, 'priority'],
    ['a number that vanishes is zero', `{${LOC},"priority":1e-400}`, undefined],
    ['a whole number may have a point', `{${LOC},"priority":1.0e0}`, undefined],
    ['a lone surrogate is refused', `{"loc":"https://example.com/\\ud800"}`, 'loc'],
  ])('%s', async (_, element, field) => {
    const body = Buffer.from(`{"urls":[{${LOC}},${element}]}`);
    await expectSameVerdict(body, [7]);
    const verdict = await verdictOn(body);
    const refused = verdict.kind === 'violations' ? verdict.violations.map(({ field }) => field) : undefined;
    expect(refused).toEqual(field === undefined ? undefined : [`urls[1].${field}`]);
  });
});
