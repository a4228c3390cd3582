import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeBytes } from '../../../src/platform/free-bytes.ts';
import { type DocumentShape, readDocument } from '../../../src/platform/json/json-document.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { collect } from '../../support/collect.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

const shape: DocumentShape = {
  members: ['domain', 'sizeLimit'],
  arrays: ['urls'],
  limits: { elements: 3, group: 1, bytes: 64, maxBytes: 64, elementBytes: 10_000 },
};

interface Reading {
  members: Record<string, unknown>;
  elements: unknown[] | undefined;
}

/** Reads a document in pieces of the given sizes, and parses each element separately. */
async function read(bytes: Uint8Array, sizes: readonly number[] = [bytes.length]): Promise<Reading> {
  const reading: Reading = { members: Object.create(null), elements: undefined };
  const pending: unknown[] = [];
  for await (const part of readDocument(pieces(bytes, sizes), shape)) {
    if (part.kind === 'member') reading.members[part.name] = part.value;
    else if (part.kind === 'array-end') {
      expect(part.count).toBe(pending.length);
      reading.elements = pending;
    } else {
      expect(part.batch.firstIndex).toBe(pending.length);
      pending.push(...JSON.parse(`[${new TextDecoder().decode(part.batch.bytes)}]`));
      let start = 0;
      const apart = Array.from(part.batch.ends, (end) => {
        const text = new TextDecoder().decode(part.batch.bytes.subarray(start, end));
        start = end + 1;
        return JSON.parse(text);
      });
      expect(apart).toEqual(pending.slice(part.batch.firstIndex));
      expect(Math.floor(part.batch.firstIndex / 3)).toBe(Math.floor((pending.length - 1) / 3));
    }
  }
  return reading;
}

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1);
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    yield piece;
    // As in an upload, a piece is freed when the next one is asked for.
    freeBytes(piece);
    at += size;
  }
}

/** The result of a strict parser for the same bytes; undefined if it refuses them. */
function parseWhole(bytes: Uint8Array): Reading | undefined {
  let document: Record<string, unknown>;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const { urls, ...others } = document;
  const members: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(document)) {
    if (shape.members.includes(name)) members[name] = others[name];
  }
  if (Array.isArray(urls)) return { members, elements: urls };
  if ('urls' in document) members.urls = urls;
  return { members, elements: undefined };
}

const json = fc.json({ maxDepth: 4, stringUnit: 'binary' });
const documentText = fc
  .array(
    fc.record({
      key: fc.oneof(
        fc.constantFrom('__proto__', 'constructor', 'x', '"', 'é'),
        fc.string({ unit: 'binary', maxLength: 5 }),
      ),
      value: json,
    }),
    { maxLength: 4 },
  )
  .chain((unknown) =>
    fc.record({
      unknown: fc.constant(unknown),
      urls: fc.array(json, { maxLength: 8 }),
      domain: json,
      space: fc.stringMatching(/^[ \t\r\n]{0,3}$/),
      order: fc.boolean(),
    }),
  )
  .map(({ unknown, urls, domain, space, order }) => {
    const others = unknown.map(({ key, value }) => `${JSON.stringify(key)}${space}:${value}`);
    const wanted = [
      `"urls"${space}:${space}[${space}${urls.join(`${space},${space}`)}${space}]`,
      `"domain":${domain}`,
    ];
    return `${space}{${space}${[...others, ...(order ? wanted : wanted.reverse())].join(`${space},`)}}${space}`;
  });
const chunking = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

describe('a document that may be the array alone', () => {
  const root: DocumentShape = { ...shape, members: [], root: { array: 'urls' } };

  async function elementsIn(bytes: Uint8Array, sizes: readonly number[]): Promise<unknown> {
    const elements: unknown[] = [];
    let count: number | undefined;
    for await (const part of readDocument(pieces(bytes, sizes), root)) {
      if (part.kind === 'batch') elements.push(...JSON.parse(`[${Buffer.from(part.batch.bytes)}]`));
      else if (part.kind === 'array-end') count = part.count;
    }
    expect(count).toBe(elements.length);
    return elements;
  }

  test('has the elements of the array, in any chunks', async () => {
    const array = fc.tuple(fc.array(json, { maxLength: 8 }), fc.stringMatching(/^[ \t\r\n]{0,3}$/));
    await fc.assert(
      fc.asyncProperty(array, chunking, async ([values, space], sizes) => {
        const text = `${space}[${space}${values.join(`${space},${space}`)}${space}]${space}`;
        expect(await elementsIn(Buffer.from(text), sizes)).toEqual(JSON.parse(text));
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test.each(['[', '[1', '[1]x', '[1],[2]', '[1]]', '[1],', 'x[1]', '[1}', '"[1]"', '[,1]', '[1,]'])(
    'is malformed like for a strict parser: %s',
    async (text) => {
      for (const sizes of [[1], [100]]) {
        await expect(elementsIn(Buffer.from(text), sizes)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      }
    },
  );

  test('may still be an object', async () => {
    expect(await elementsIn(Buffer.from('{"urls":[1,2]}'), [3])).toEqual([1, 2]);
  });
});

test('an array in place of the object is refused with the reason of the shape', async () => {
  const document = readDocument(pieces(Buffer.from('[]'), [1]), {
    members: [],
    root: { refused: 'an array needs more' },
  });
  await expect(document.next()).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: 'The request body is not valid: it must be a JSON object: an array needs more.',
  });
});

describe('any document is judged like by a strict parser', () => {
  test('for valid documents in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(documentText, chunking, async (text, sizes) => {
        const bytes = Buffer.from(text);
        expect(await read(bytes, sizes)).toEqual(parseWhole(bytes));
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('for documents with bytes replaced, removed or inserted', async () => {
    const edit = fc.record({ at: fc.nat(), removed: fc.nat(2), inserted: fc.uint8Array({ maxLength: 2 }) });
    const telling = fc.record({
      at: fc.nat(),
      removed: fc.nat(1),
      inserted: fc
        .constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', '.', 'e', 'true', '\n', '\u0001')
        .map((text) => new Uint8Array(Buffer.from(text))),
    });
    await fc.assert(
      fc.asyncProperty(documentText, fc.oneof(edit, telling), chunking, async (text, change, sizes) => {
        const original = Buffer.from(text);
        const at = change.at % (original.length + 1);
        const bytes = Buffer.concat([
          original.subarray(0, at),
          change.inserted,
          original.subarray(at + change.removed),
        ]);
        await expectSameVerdict(bytes, sizes);
      }),
      { numRuns: PROPERTY_RUNS * 5 },
    );
  });

  test('for every beginning of a document', async () => {
    const bytes = Buffer.from(
      ' {"domain":"é\\u00e9","urls":[{"loc":"a\\"]"},[1.5e-3]],"y":{"z":[null,-0]}} ',
    );
    for (let length = 0; length <= bytes.length; length++) {
      await expectSameVerdict(bytes.subarray(0, length), [1]);
    }
  });

  test.each([
    '',
    ' ',
    'null',
    '[]',
    '"x"',
    '{',
    '{}',
    '{} ',
    '{}x',
    '{}{}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":-}',
    '{"a":-0}',
    '{"a":1E5}',
    '{"a":tru}',
    '{"a":truee}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"\\ud800"}',
    '{"urls":[}',
    '{"urls":[,]}',
    '{"urls":[1,]}',
    '{"urls":[1 2]}',
    '{"urls":[1,,2]}',
    '{"urls":["\n"]}',
    '{"urls":["\\x"]}',
    '{"urls":[01]}',
    '{"urls":[NaN]}',
    '{"domain":1}/* end */',
    '<urlset/>',
    '5',
    '{"urls":[1}}',
    '{"urls":[1]]}',
    '{"urls":[{]}',
    '{"urls":[}]}',
    '{"urls":[]}',
    '{"urls":{}}',
    '{"urls":null}',
    '{"\\u0075rls":[1]}',
    '{"a":[1}',
    '{"a":{"b":1]}',
    "{'a':1}",
    '{"a":NaN}',
    '\uFEFF{}',
    ' \uFEFF{}',
    '\uFEFF',
    '{"a":1}\u0000',
    '{"a":1}//',
    '{"__proto__":{"x":1},"urls":[{"__proto__":2}]}',
  ])('for %j', async (text) => {
    await expectSameVerdict(Buffer.from(text), [1]);
    await expectSameVerdict(Buffer.from(text), [1000]);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong three-byte form', [0xe0, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that UTF-8 never has', [0xff]],
    ['a character cut short', [0xe2, 0x82]],
    ['a four-byte character', [0xf0, 0x9f, 0x98, 0x80]],
    ['the last code point', [0xf4, 0x8f, 0xbf, 0xbf]],
  ])('for %s at every chunk border, in a value, an element and an unknown member', async (_, bytes) => {
    for (const [before, after] of [
      ['{"domain":"', '"}'],
      ['{"urls":["', '"]}'],
      ['{"a":"', '"}'],
      ['{"', '":1}'],
    ]) {
      const body = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)]);
      for (const size of [1, 2, 3, body.length]) await expectSameVerdict(body, [size]);
    }
  });
});

async function expectSameVerdict(bytes: Uint8Array, sizes: readonly number[]): Promise<void> {
  const expected = parseWhole(stripMark(bytes));
  const reading = await read(bytes, sizes).catch((error: unknown) => error);
  if (expected !== undefined) expect(reading).toEqual(expected);
  else if (reading instanceof Refusal) expect(reading.code).toBe('BAD_REQUEST');
  // The caller who parses the elements finds one that is not JSON: here `read` itself.
  else expect(reading).toBeInstanceOf(SyntaxError);
}

function stripMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

describe('refusals beyond syntax', () => {
  test.each([
    ['{"domain":1,"domain":2}', 'BAD_REQUEST'],
    ['{"sizeLimit":null,"sizeLimit":null}', 'BAD_REQUEST'],
    ['{"urls":[],"\\u0075rls":[]}', 'BAD_REQUEST'],
    [`{"a":${'['.repeat(100_000)}`, 'BAD_REQUEST'],
    ['{"urls":[],"urls":[]}', 'BAD_REQUEST'],
    [`{"a":${'['.repeat(32)}${']'.repeat(32)}}`, 'BAD_REQUEST'],
    [`{"urls":[${'['.repeat(31)}${']'.repeat(31)}]}`, 'BAD_REQUEST'],
    [`{"domain":"${'x'.repeat(20_000)}"}`, 'VALIDATION_ERROR'],
    [`{"urls":["${'x'.repeat(12_000)}"]}`, 'VALIDATION_ERROR'],
  ])('%#', async (text, code) => {
    await expect(read(Buffer.from(text), [7])).rejects.toMatchObject({ code });
    await expect(read(Buffer.from(text))).rejects.toMatchObject({ code });
  });

  test('nesting of exactly the limit is accepted', async () => {
    await read(Buffer.from(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`), [5]);
    await read(Buffer.from(`{"urls":[${'['.repeat(30)}${']'.repeat(30)}]}`), [5]);
  });
});

test('elements before a fault are handed out before the fault', async () => {
  const found: number[] = [];
  const reading = async () => {
    for await (const part of readDocument(pieces(Buffer.from('{"urls":[1,2,3,4,5,}'), [100]), shape)) {
      if (part.kind === 'batch') found.push(part.batch.ends.length);
    }
  };
  await expect(reading()).rejects.toBeInstanceOf(Refusal);
  expect(found).toEqual([3, 2]);
});

test('batches depend on the document and not on the chunks', async () => {
  const elements = Array.from({ length: 100 }, (_, i) => ({ loc: 'x'.repeat((i * 7) % 50) }));
  const bytes = Buffer.from(JSON.stringify({ urls: elements }));
  const cut = async (size: number) => {
    const batches: number[] = [];
    for await (const part of readDocument(pieces(bytes, [size]), shape)) {
      if (part.kind === 'batch') batches.push(part.batch.bytes.length);
    }
    return batches;
  };
  const whole = await cut(bytes.length);
  expect(whole.length).toBeGreaterThan(33);
  for (const size of [1, 2, 13, 64]) expect(await cut(size)).toEqual(whole);
});

test('a document may have several arrays, each with its own name and count', async () => {
  const body = Buffer.from('{"add":[1,2,3,4],"domain":"a","remove":["x"],"none":[]}');
  const parts: unknown[] = [];
  for await (const part of readDocument(pieces(body, [1]), { ...shape, arrays: ['remove', 'add', 'none'] })) {
    if (part.kind === 'batch') parts.push([part.name, part.batch.firstIndex, part.batch.ends.length]);
    else if (part.kind === 'array-end') parts.push([part.name, part.count]);
    else parts.push(part.name);
  }
  expect(parts).toEqual([
    ['add', 0, 3],
    ['add', 3, 1],
    ['add', 4],
    'domain',
    ['remove', 0, 1],
    ['remove', 1],
    ['none', 0],
  ]);
});

test('a shape without an array member skips arrays like any unknown value', async () => {
  const body = Buffer.from('{"x":[1,[2]],"hostname":"a","urls":[{}]}');
  const parts: unknown[] = [];
  for await (const part of readDocument(pieces(body, [1]), { members: ['hostname'] })) parts.push(part);
  expect(parts).toEqual([{ kind: 'member', name: 'hostname', value: 'a' }]);
});

describe('refusal of unknown members', () => {
  const strict = { ...shape, refusesUnknown: true };
  const partsOf = async (text: string, size: number) => {
    const parts: string[] = [];
    try {
      for await (const part of readDocument(pieces(Buffer.from(text), [size]), strict)) parts.push(part.kind);
    } catch (error) {
      if (error instanceof Refusal) parts.push(String(error.options.details?.field ?? error.code));
      else throw error;
    }
    return parts;
  };

  test.each([
    ['{"domain":1,"x":2,"urls":[]}', ['member', 'x']],
    ['{"urls":[1],"sizeLimit":1,"x":2}', ['batch', 'array-end', 'member', 'x']],
    ['{"\\u0078":[[[}', ['x']],
    [`{"${'y'.repeat(1000)}`, [`${'y'.repeat(64)}…`]],
    ['{"x', ['BAD_REQUEST']],
    ['{"":1}', ['']],
    ['{"x":{"domain":[1]},"domain":1}', ['x']],
    ['{"__proto__":{"domain":1}}', ['__proto__']],
    ['{"größe":1}', ['größe']],
  ])('%#: the first unknown member is refused, whatever follows', async (text, expected) => {
    for (const size of [1, 3, 10_000]) expect(await partsOf(text, size)).toEqual(expected);
  });
});

test.each([
  // psql writes a line break for the null of json_agg without rows.
  ['\n', 'it is empty'],
  ["'{hostname:x}'", "it must be a JSON object, and it begins with '"],
  ['{hostname:"x"}', 'a key is not in double quotes'],
  ["{'hostname':'x'}", 'a key is not in double quotes'],
  ['{"hostname":"x",}', 'a comma stands before a closing brace'],
  ['{"hostname":}', 'a value is missing'],
  ['{"hostname":x}', 'a value is not a JSON value; texts must be in double quotes'],
  ['{"hostname":None}', 'NaN and None are no JSON values: write null, or leave the member out'],
])('a newcomer is told what is wrong with %s', async (text, problem) => {
  const document = readDocument(pieces(Buffer.from(text), [100]), { members: ['hostname'] });
  await expect(collect(document)).rejects.toMatchObject({
    message: `The request body is not valid: ${problem}.`,
  });
});

test.each([
  ['\ufeff{"hostname":"x"}', 'utf16le', 'it is UTF-16, as PowerShell writes it: save it as UTF-8'],
  ['\ufeff\0{\0', 'utf16le', 'it is UTF-32: save it as UTF-8'],
  ['{\0"\0', 'utf16le', 'it is UTF-32: save it as UTF-8'],
] as const)('a document in another encoding than UTF-8 is told so: %j', async (text, encoding, problem) => {
  const document = readDocument(pieces(Buffer.from(text, encoding), [100]), { members: ['hostname'] });
  await expect(collect(document)).rejects.toThrow(`The request body is not valid: ${problem}.`);
});
