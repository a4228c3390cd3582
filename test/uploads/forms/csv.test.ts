import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { batchesOf, readForm } from './read-form.ts';

const PAGE = 'https://www.example.com/';

async function valuesIn(csv: string, chunkBytes?: number): Promise<unknown[]> {
  return (await readForm('csv', csv, chunkBytes)).map(({ value }) => value);
}

async function violationsIn(csv: string, chunkBytes?: number) {
  return (await readForm('csv', csv, chunkBytes)).flatMap(({ violations }) => violations);
}

describe('cells', () => {
  test('become the members of entries, with numbers and booleans', async () => {
    const csv =
      'loc,lastmod,changefreq,priority,video_live,video_family_friendly,video_view_count\n' +
      `${PAGE},2026-01-15,daily,0.50,TRUE,no,12\n` +
      `${PAGE}b,,,.5,yes,0,+7\n` +
      `${PAGE}c,,,1e400,maybe,,\n`;
    expect(await valuesIn(csv)).toEqual([
      {
        loc: PAGE,
        lastmod: '2026-01-15',
        changefreq: 'daily',
        priority: 0.5,
        video: { live: true, family_friendly: false, view_count: 12 },
      },
      { loc: `${PAGE}b`, priority: 0.5, video: { live: true, family_friendly: false, view_count: 7 } },
      { loc: `${PAGE}c`, priority: '1e400', video: { live: 'maybe' } },
    ]);
  });

  test('of images, tags and alternates make lists; empty elements are left out', async () => {
    const csv =
      'loc,image_title_2,image_loc,image_loc_2,image_loc_3,hreflang:de,hreflang:x-default,video_tag,video_tag_3,video_tag_2\n' +
      `${PAGE},two,,${PAGE}2.png,${PAGE}3.png,${PAGE}de,${PAGE}en,,c,b\n` +
      `${PAGE},,,,,,,,,\n`;
    expect(await valuesIn(csv)).toEqual([
      {
        loc: PAGE,
        images: [{ title: 'two', loc: `${PAGE}2.png` }, { loc: `${PAGE}3.png` }],
        hreflang: [
          { hreflang: 'de', href: `${PAGE}de` },
          { hreflang: 'x-default', href: `${PAGE}en` },
        ],
        video: { tag: ['c', 'b'] },
      },
      { loc: PAGE },
    ]);
  });

  test('may have commas, line breaks and doubled quotes in quotes', async () => {
    const csv = 'loc,"image_title",news_title\r\n"https://a.example/,","a ""b""\r\n\tc","\\"\r\n';
    expect(await valuesIn(csv)).toEqual([
      { loc: 'https://a.example/,', images: [{ title: 'a "b"\r\n\tc' }], news: { title: '\\' } },
    ]);
  });

  test('may be all empty', async () => {
    expect(await valuesIn('loc,lastmod\n,\n"",""\n')).toEqual([{}, {}]);
  });

  test('of 200 columns', async () => {
    const names = ['loc', ...Array.from({ length: 199 }, (_, i) => `image_loc_${i + 1}`)];
    const cells = [PAGE, ...Array.from({ length: 199 }, (_, i) => `${PAGE}${i}.png`)];
    const [value] = await valuesIn(`${names}\n${cells}\n`);
    expect(value).toEqual({ loc: PAGE, images: cells.slice(1).map((loc) => ({ loc })) });
  });
});

describe('lines', () => {
  test('end in CRLF or LF, or with the body; blank ones are no records, but count', async () => {
    const csv = `\r\n\nloc,image_title\r\n${PAGE}1,\n\n \r\n"${PAGE}2","x\ny\n"\n${PAGE}3,`;
    const records = await readForm('csv', csv);
    expect(records.map(({ line, value }) => [line, (value as { loc: string }).loc])).toEqual([
      [4, `${PAGE}1`],
      [7, `${PAGE}2`],
      [10, `${PAGE}3`],
    ]);
  });

  test('may begin with a byte order mark', async () => {
    expect(await valuesIn(`\ufeffloc\n${PAGE}`, 1)).toEqual([{ loc: PAGE }]);
  });

  test.each([
    ['loc', []],
    ['loc\n\n', []],
  ])('without records are none', async (csv, none) => {
    expect(await batchesOf('csv', csv)).toEqual(none);
  });
});

describe('a record that cannot be read', () => {
  test.each([
    [
      'too few cells',
      `${PAGE}`,
      { field: 'line', value: PAGE, message: 'must have 2 cells, like the header; it has 1' },
    ],
    [
      'too many',
      'a,b,c,d',
      { field: 'line', value: 'a,b,c,d', message: 'must have 2 cells, like the header; it has 4' },
    ],
    [
      'a stray quote',
      '5" pipe,b',
      { field: 'loc', value: '5', message: expect.stringContaining('every inner quote doubled') },
    ],
    [
      'text after a quote',
      'a,"b"c',
      { field: 'lastmod', value: 'b', message: expect.stringContaining('closing quote') },
    ],
    [
      'a comma behind a backslash',
      'a\\,b,c',
      { field: 'line', message: expect.stringMatching(/it has 3; if a backslash .* add escape=backslash$/) },
    ],
    [
      'a space before a quote',
      'a, "b"',
      { field: 'lastmod', message: expect.stringContaining('must be in quotes') },
    ],
  ])('has its own violation: %s', async (_, record, violation) => {
    for (const chunkBytes of [1, 7, 65_536]) {
      const records = await readForm('csv', `loc,lastmod\n${PAGE}1,\n${record}\n${PAGE}2,\n`, chunkBytes);
      expect(records.map(({ value }) => value)).toEqual([
        { loc: `${PAGE}1` },
        undefined,
        { loc: `${PAGE}2` },
      ]);
      expect(records[1]).toMatchObject({ line: 3, violations: [{ ...violation, line: 3, index: 1 }] });
    }
  });

  test('is the rest of the body if a quote is never closed', async () => {
    const [first, second, ...others] = await readForm('csv', `loc,lastmod\n${PAGE},\n${PAGE},"b\nc,d\n`);
    expect(first!.violations).toEqual([]);
    expect(second).toMatchObject({ line: 3, value: undefined });
    expect(second!.violations[0]).toMatchObject({
      field: 'lastmod',
      message: expect.stringContaining('never closed'),
    });
    expect(others).toEqual([]);
  });
});

describe('violations have the names of columns', () => {
  test('of the header, as it writes them', async () => {
    const csv =
      ' LOC ,image_loc_2,Image_Title_3,hreflang:DE,news_title,video_tag_2,priority\n' +
      `x,y,t,z,n,${'t'.repeat(10_001)},2`;
    const violations = await violationsIn(csv);
    expect(violations.map(({ field }) => field)).toEqual([
      'LOC',
      'image_loc_2',
      'image_loc_3',
      'hreflang:DE',
      'news_publication',
      'news_publication_date',
      'video',
      'video_tag_2',
      'video_thumbnail_loc',
      'video_title',
      'video_description',
      'priority',
    ]);
    expect(violations[0]).toMatchObject({ value: 'x', line: 2, index: 0 });
  });
});

test.each(['\n', '\r\n', ' \n\n', 'sep=;\n'])('a body of blank lines has no entries: %j', async (body) => {
  for (const chunkBytes of [1, 1e6]) expect(await batchesOf('csv', body, chunkBytes)).toEqual([]);
});

describe('a header is refused before any record is read', () => {
  test.each([
    ['loc,lastmodd', 'lastmodd', 'did you mean lastmod?'],
    ['loc,sku', 'sku', 'is not known here; expected one of loc, '],
    ['loc,image_locc_2', 'image_locc_2', 'did you mean image_loc?'],
    ['loc,loc', 'loc', 'only once'],
    ['loc,image_loc,image_loc_1', 'image_loc_1', 'only once'],
    ['loc,hreflang:de,hreflang:DE', 'hreflang:DE', 'only once'],
    ['lastmod', 'loc', 'the first line must name the columns'],
    ['https://www.example.com/,2026-01-15', 'line', 'add header=false&columns=loc,lastmod'],
    ['7\thttps://www.example.com/', 'line', 'add header=false&delimiter=tab&columns=-,loc'],
    ['loc,', 'line', 'column 2 has no name'],
    ['loc,image_loc_1001', 'image_loc_1001', 'must be at most image_loc_1000'],
    ['loc,video_tag_33', 'video_tag_33', 'must be at most video_tag_32'],
    ['loc,lastmod_2', 'lastmod_2', 'did you mean lastmod?'],
    ['loc,hreflang:english', 'hreflang:english', 'ISO codes after the colon'],
    ['loc;lastmod;sku', 'sku', 'is not known here'],
    ['url;updated_at', 'url', 'add columns=loc:url,lastmod:updated_at'],
    ['url;a,b', 'line', 'may be cut in several ways'],
    ['loc,"last"mod', 'line', 'must name the columns; the name 2 must end at its closing quote'],
    ['loc,"lastmod', 'line', 'never closed'],
  ])('%s', async (header, field, message) => {
    for (const chunkBytes of [3, 1e6]) {
      await expect(batchesOf('csv', `${header}\nx`, chunkBytes)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(message),
        options: { details: { field } },
      });
    }
  });
});

test('cells in apostrophes, and words for nothing, are named with their cure', async () => {
  const body = `loc,priority,lastmod\n'${PAGE}','1',unknown\n${PAGE},none,soon\n`;
  const [first, second] = await readForm('csv', body);
  const inQuotes = /; if its cells are quoted by ', export it with " in their place$/;
  expect(Object.fromEntries(first!.violations.map(({ field, message }) => [field, message]))).toMatchObject({
    loc: expect.stringMatching(inQuotes),
    priority: expect.stringMatching(inQuotes),
    lastmod: expect.stringMatching(
      /^must be a date like .*: add null=unknown if it means that there is none$/,
    ),
  });
  expect(second!.violations.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/2026-01-15T10:00:00Z$/),
      'must be a number from 0 to 1: add null=none if it means that there is none',
    ]),
  );
  await expect(readForm('csv', `'loc'\n'${PAGE}'\n`)).rejects.toThrow(
    `is not known here; if its cells are quoted by ', export it with " in their place`,
  );
});

test('a decimal comma is named with its cure', async () => {
  const body = `loc;priority\n${PAGE};0,5\n${PAGE};1.000,5\n`;
  const [first, second] = await readForm('csv', body);
  expect(first!.violations).toMatchObject([
    { field: 'priority', value: '0,5', message: 'must be a number from 0 to 1: add decimal=comma' },
  ]);
  expect(second!.violations).toMatchObject([{ message: 'must be a number from 0 to 1' }]);
  const decimal = await readForm('csv', body, undefined, { decimal: 'comma' });
  expect(decimal[0]).toMatchObject({ value: { priority: 0.5 }, violations: [] });
});

/** As sqlite3 -box, -column and -markdown, psql -x and mariadb -E write them. */
test.each([
  `┌─────┬──────────┐\n│ loc │ lastmod  │\n├─────┼──────────┤\n`,
  'loc                   lastmod\n--------------------  ----------\n',
  '| loc | lastmod |\n|-----|---------|\n',
  '-[ RECORD 1 ]--\nloc | ',
  '*************************** 1. row ***************************\nloc: ',
])('a table for people is refused as such: %s', async (head) => {
  await expect(batchesOf('csv', `${head}${PAGE}\n`)).rejects.toThrow('belongs to a table for people');
});

test('a file whose line breaks are gone is no header without records', async () => {
  const file = 'loc,title\nhttps://www.example.com/a,x\nhttps://www.example.com/b,y\n';
  const read = (body: string) => batchesOf('csv', body, undefined, { columns: 'loc' });
  await expect(read(file.replaceAll('\n', ''))).rejects.toThrow('has a URL: put each on a line of its own');
  expect(await read('loc,title\n')).toEqual([]);
  expect(await read('loc,about https://www.example.com/\nhttps://www.example.com/a,x\n')).toHaveLength(1);
});

test('a header of more than 64 KiB is refused, complete or not', async () => {
  for (const end of ['', '\n']) {
    await expect(batchesOf('csv', `loc,${'x'.repeat(65_536)}${end}`)).rejects.toMatchObject({
      message: 'line: must name the columns in at most 65536 bytes',
    });
  }
});

test('a first entry without a header may be longer than a header, and begins behind the lines to skip', async () => {
  const text = `"${'x\n'.repeat(50_000)}"`;
  const query = { header: 'false', columns: 'loc,-,priority', skipLines: '1' };
  const rest = `${text},0.5\nhttps://www.example.com/b,,\n`;
  for (const chunkBytes of [1000, 65_536, 1_000_000]) {
    const body = `Report\n\nhttps://www.example.com/a,${rest}`;
    expect(await readForm('csv', body, chunkBytes, query)).toMatchObject([
      { line: 3, value: { loc: 'https://www.example.com/a', priority: 0.5 }, violations: [] },
      { line: 50_004, value: { loc: 'https://www.example.com/b' }, violations: [] },
    ]);
  }
  const late = `${'x'.repeat(70_000)}\nhttps://www.example.com/a,${rest}`;
  await expect(readForm('csv', late, 1000, query)).rejects.toThrow('at most 65536 bytes');
});

/** Words that are an absent value here and text to csv-parse. */
const ABSENT = [
  ...['NULL', 'null', 'None', 'NaN', 'nan', 'NaT', '<NA>', '\\N'],
  ...['NA', 'N/A', 'n/a', '#N/A'],
];

/** Cells that are difficult for readers of CSV. */
const cell = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', ',', '\n', '\r\n', '\r', ' ', '\\', '""', 'ü', '😀', '\u0001'),
      fc.string({ maxLength: 5 }),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => !ABSENT.includes(text.trim()));

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const needsQuotes = (text: string) => /[",\r\n]/.test(text) || text.trim() === '';

const NAMES = ['loc', 'image_title', 'image_caption_2', 'news_title', 'video_title'];
const document = fc.record({
  rows: fc.array(
    fc.array(fc.tuple(cell, fc.boolean()), { minLength: NAMES.length, maxLength: NAMES.length }),
    { maxLength: 20 },
  ),
  lineBreak: fc.constantFrom('\n', '\r\n'),
  isLastLineEnded: fc.boolean(),
  chunkBytes: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
});

test('any cells are read as csv-parse reads them, in any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(document, async ({ rows, lineBreak, isLastLineEnded, chunkBytes }) => {
      const lines = rows.map((cells) =>
        cells.map(([text, isQuoted]) => (isQuoted || needsQuotes(text) ? quoted(text) : text)).join(','),
      );
      const csv = [NAMES.join(','), ...lines].join(lineBreak) + (isLastLineEnded ? lineBreak : '');
      const judged = parse(csv, {
        from: 2,
        skip_empty_lines: true,
        record_delimiter: ['\n', '\r\n'],
      }) as unknown;
      const records = await readForm('csv', csv, chunkBytes);
      const read = records.map(({ value }) => {
        const {
          loc,
          images = [],
          news,
          video,
        } = value as Record<string, never> & { images?: { title?: string; caption?: string }[] };
        const of = (object: unknown, name: string) =>
          (object as Record<string, string> | undefined)?.[name] ?? '';
        const title = images.find((image) => 'title' in image)?.title ?? '';
        const caption = images.find((image) => 'caption' in image)?.caption ?? '';
        return [loc ?? '', title, caption, of(news, 'title'), of(video, 'title')];
      });
      expect(read).toEqual(judged);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

const FLAT_NAMES = ['changefreq', 'loc', 'lastmod'];
const flatRows = fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 3, maxLength: 3 }), {
  maxLength: 20,
});

test('any cells below a header without lists and objects are read as csv-parse reads them', async () => {
  await fc.assert(
    fc.asyncProperty(flatRows, fc.constantFrom('\n', '\r\n'), async (rows, lineBreak) => {
      const lines = rows.map((cells) =>
        cells.map(([text, isQuoted]) => (isQuoted || needsQuotes(text) ? quoted(text) : text)).join(','),
      );
      const csv = [FLAT_NAMES.join(','), ...lines].join(lineBreak);
      const judged = parse(csv, { from: 2, skip_empty_lines: true, record_delimiter: ['\n', '\r\n'] });
      const read = (await valuesIn(csv)) as Record<string, string>[];
      expect(read.map((value) => FLAT_NAMES.map((name) => value[name] ?? ''))).toEqual(judged as unknown);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('any record is read alike below any header, whatever path it takes', async () => {
  const text = fc
    .array(
      fc.constantFrom(
        '"',
        '""',
        ',',
        '\r',
        'a',
        '"b"',
        ' ',
        '\\',
        '"a,b"',
        'x'.repeat(20),
        '0',
        '1.50',
        '.',
        '-',
        'é',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join(''))
    // A line of hyphens below a header is of a table for people.
    .filter((line) => !/^[\s-]*$/.test(line) || !line.includes('--'));
  await fc.assert(
    fc.asyncProperty(text, async (line) => {
      // The column of an image keeps a record from the fast path; its cell is empty.
      const flat = await valuesIn(`priority,loc\n${line}`);
      expect(await valuesIn(`image_loc,priority,loc\n,${line}`)).toEqual(
        line.trim() === '' ? [undefined] : flat,
      );
    }),
    { numRuns: 5 * PROPERTY_RUNS },
  );
});

test('any bytes are cut into the same records, whatever the chunks', async () => {
  const text = fc
    .array(fc.constantFrom('"', '""', ',', '\n', '\r\n', 'a', '"b"', ' ', 'ab"c', 'x'.repeat(70)), {
      maxLength: 60,
    })
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 80 }), async (body, chunkBytes) => {
      const csv = `loc,lastmod\n${body}`;
      const records = await readForm('csv', csv, chunkBytes);
      expect(records).toEqual(await readForm('csv', csv));
      expect(records.map(({ line }) => line)).toEqual(linesOfRecords(csv).slice(1));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

/** The line where each record begins, by following the text character by character. */
function linesOfRecords(csv: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let isQuoted = false;
  let before = '\n';
  let hasContent = false;
  let recordLine = 1;
  for (const character of `${csv}${csv.endsWith('\n') ? '' : '\n'}`) {
    const begins = before === ',' || before === '\n' || before === 'closing';
    let next = character;
    if (character === '"' && isQuoted) {
      isQuoted = false;
      next = 'closing';
    } else if (character === '"' && begins) isQuoted = true;
    if (character.trim() !== '') hasContent = true;
    if (character === '\n') {
      line++;
      if (!isQuoted) {
        if (hasContent) lines.push(recordLine);
        hasContent = false;
        recordLine = line;
      }
    }
    before = isQuoted ? '' : next;
  }
  if (isQuoted && hasContent) lines.push(recordLine);
  return lines;
}
