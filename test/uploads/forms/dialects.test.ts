import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_NOTES } from '../../../src/core/sitemap/reading.ts';
import { entriesOf } from '../../../src/features/uploads/forms/entries-of.ts';
import { dialectWarnings } from '../../../src/features/uploads/forms/told-dialect.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { batchesOf, readForm } from './read-form.ts';

const PAGE = 'https://www.example.com/';
type Query = Readonly<Record<string, string | string[]>>;

const valuesIn = async (csv: string | Buffer, query: Query, chunkBytes?: number) =>
  (await readForm('csv', csv, chunkBytes, query)).map(({ value }) => value);
const refused = (csv: string, query: Query, field: string, message: string) =>
  expect(batchesOf('csv', csv, 7, query)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(message),
    options: { details: { field } },
  });

const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|', 'ctrl-a': '\x01' } as const;
const anyDelimiter = fc.constantFrom(...Object.keys(DELIMITERS)) as fc.Arbitrary<keyof typeof DELIMITERS>;

describe('columns', () => {
  test('are found by their names in the header, whatever their case and blanks; others are ignored', async () => {
    const csv = `,Status, PAGE Address ,Last Modified,a"b"\n0,x,${PAGE},2026-01-15,"y, ""z"""\n`;
    expect(
      await valuesIn(csv.replace('a"b"', '"a""b"""'), { columns: 'loc:Page Address,lastmod:last modified' }),
    ).toEqual([{ loc: PAGE, lastmod: '2026-01-15' }]);
  });

  test('may have commas, quotes and colons in their names, and languages', async () => {
    const csv = `"URL, long";"say ""x""";URL: de\n${PAGE};t;${PAGE}de\n`;
    const columns = '"loc:URL, long","image_title:say ""x""",hreflang:de:URL: de';
    expect(await valuesIn(csv, { columns })).toEqual([
      { loc: PAGE, images: [{ title: 't' }], hreflang: [{ hreflang: 'de', href: `${PAGE}de` }] },
    ]);
  });

  test.each<[string, Query, string, string]>([
    ['url,b\n', { columns: 'loc:Address' }, 'Address', 'is not in the header, which has "url", "b"'],
    ['url,b,URL\n', { columns: 'loc:url' }, 'url', 'stands 2 times in the header'],
    ['url,b\n', { columns: 'loc:url,image_loc:url' }, 'url', 'can be the column of one member only'],
    ['url,b\n', { columns: 'loc:url,loc:b' }, 'b', 'only once'],
    ['url,b\n', { columns: 'lastmod:b' }, 'loc', 'is required: name its column'],
    ['url,b\n', { columns: 'loc:url', where: 'Status:200' }, 'where', 'is not in the header'],
    ['loc\n', { header: 'false', columns: 'loc' }, 'header', 'the first record has names: loc'],
    [
      'Address;d\n',
      { header: 'false', delimiter: ';', columns: 'loc,lastmod' },
      'header',
      'the first record has names',
    ],
    ['sep=;\nloc;lastmod\n', { delimiter: ',' }, 'delimiter', 'differs from the line sep= of the body'],
  ])('that cannot be found are refused: %j with %o', async (csv, query, field, message) => {
    await refused(csv, query, field, message);
  });

  test.each<[Query, string, string]>([
    [{ columns: 'lok:url' }, 'columns', 'did you mean loc?'],
    [{ columns: '-' }, 'columns', 'must name at least loc'],
    [{ columns: '"loc:a' }, 'columns', 'must be a record of CSV'],
    [{ header: 'false' }, 'header', 'needs columns'],
    [{ delimiter: ':' }, 'delimiter', 'must be one of comma, semicolon, tab, pipe, ctrl-a'],
    [{ skipLines: '101' }, 'skipLines', 'from 0 to 100'],
    [{ charset: 'latin1' }, 'charset', 'must be one of utf-8'],
    [{ baseUrl: 'www.example.com' }, 'baseUrl', 'must be an absolute URL'],
    [{ baseUrl: `${PAGE}?a` }, 'baseUrl', 'no query'],
    [{ where: 'Status' }, 'where', 'must be a column and its value'],
    [{ dates: ['iso', 'dmy'] }, 'dates', 'more than once'],
  ])('a wrong parameter is refused: %o', async (query, field, message) => {
    const error = (async () => batchesOf('csv', 'loc\n', 7, query))();
    await expect(error).rejects.toMatchObject({
      message: expect.stringContaining(message),
      options: { details: { field } },
    });
  });

  test.each([
    ['ndjson', { delimiter: 'tab' }],
    ['text', { columns: 'loc' }],
    ['xml', { charset: 'utf-8' }],
  ] as const)('a parameter without a meaning in %s is refused: %o', async (form, query) => {
    await expect((async () => batchesOf(form, 'x', 7, query))()).rejects.toThrow(
      'has no meaning in the form',
    );
  });
});

describe('records', () => {
  test('that are the header again are violations that say so', async () => {
    const csv = `url,d\n${PAGE},\nurl,d\n`;
    for (const query of [{}, { baseUrl: PAGE }]) {
      const records = await readForm('csv', csv, 7, { columns: 'loc:url,lastmod:d', ...query });
      expect(records[1]!.violations).toMatchObject([
        { line: 3, field: 'line', message: expect.stringContaining('header again') },
      ]);
    }
  });

  test('without a value have words for it, but not in texts', async () => {
    const words = ['NULL', 'null', 'None', 'NaN', 'nan', 'NaT', '<NA>', '\\N', '"NULL"', '"\\N"', ''];
    for (const word of words) {
      expect(await valuesIn(`loc,lastmod,priority\n${PAGE},${word},${word}\n`, {})).toEqual([{ loc: PAGE }]);
      const texts = await valuesIn(`loc,news_title,video_live\n${PAGE},${word},${word}\n`, {});
      const text = word.replaceAll('"', '');
      expect(texts).toEqual([
        word === '\\N' || word === '' ? { loc: PAGE } : { loc: PAGE, news: { title: text } },
      ]);
    }
    expect(await valuesIn(`loc,news_title\n${PAGE},-\n${PAGE},n/a\n`, { null: ['-', 'n/a'] })).toEqual([
      { loc: PAGE },
      { loc: PAGE },
    ]);
  });

  test('have numbers with a comma, and booleans of databases', async () => {
    const csv = `loc;priority;video_live;video_family_friendly\n${PAGE};0,8;t;N\n${PAGE};1.000,5;f;Y\n`;
    expect(await valuesIn(csv, { decimal: 'comma' })).toEqual([
      { loc: PAGE, priority: 0.8, video: { live: true, family_friendly: false } },
      { loc: PAGE, priority: '1.000,5', video: { live: false, family_friendly: true } },
    ]);
  });

  test('that no condition leaves out are read, the others are filtered', async () => {
    const csv = `url,Status Code,a:b\n${PAGE}1,200,x\n${PAGE}2,404,x\n${PAGE}3,"200",y\n`;
    const kept = async (where: string | string[]) =>
      (await valuesIn(csv, { columns: 'loc:url', where })).flatMap((value) =>
        value === undefined ? [] : [(value as { loc: string }).loc.at(-1)],
      );
    expect(await kept('status code:200')).toEqual(['1', '3']);
    expect(await kept(['Status Code:2*', 'a:b:x'])).toEqual(['1']);
    expect(await kept('Status Code:*')).toEqual(['1', '2', '3']);
  });

  test('of tabs may be empty at both ends, and are never blank lines', async () => {
    expect(await valuesIn(`lastmod\tloc\timage_title\n\t${PAGE}\t\n\t\t\n`, {})).toEqual([{ loc: PAGE }, {}]);
  });

  test('of tabs have quotes in cells without quotes', async () => {
    expect(
      await valuesIn(`loc\tnews_title\tx\n${PAGE}\tsay "a"\tb"c"d\n`, { columns: 'loc,news_title' }),
    ).toEqual([{ loc: PAGE, news: { title: 'say "a"' } }]);
  });
});

describe('escape=backslash', () => {
  test('takes the meaning from quotes, separators, line breaks and backslashes', async () => {
    const csv = `loc,news_title\n${PAGE}4\\,5,"Comma, and \\"quotes\\""\n${PAGE},Tab\\there \\\\ \\\nnext\n${PAGE},\\N\n`;
    for (const size of [1, 5, 100]) {
      expect(await valuesIn(csv, { escape: 'backslash' }, size)).toEqual([
        { loc: `${PAGE}4,5`, news: { title: 'Comma, and "quotes"' } },
        { loc: PAGE, news: { title: 'Tab\there \\ \nnext' } },
        { loc: PAGE },
      ]);
    }
  });

  test('is named by the violation of a record that needs it', async () => {
    const [record] = await readForm('csv', `loc,news_title\n${PAGE},"a \\"b\\""\n`);
    expect(record!.violations[0]!.message).toContain('escape=backslash');
  });
});

describe('quote=none', () => {
  const row = (i: number, title: string) => `${PAGE}${i}\t${title}\t2026-01-15`;
  const titles = ['"The best', 'a', 'Pan 24"', '"Best" pans', '"', 'b "c"'];

  test('makes quotes text: no quote hides the lines behind it', async () => {
    const csv = ['loc\timage_title\tlastmod', ...titles.map((title, i) => row(i, title))].join('\r\n');
    for (const size of [1, 5, 1000]) {
      expect(await valuesIn(csv, { quote: 'none' }, size)).toEqual(
        titles.map((title, i) => ({
          loc: `${PAGE}${i}`,
          images: [{ title }],
          lastmod: '2026-01-15',
        })),
      );
    }
  });

  test('is so in the first record and in ignored cells too, and leaves a backslash its meaning', async () => {
    const csv = `"${PAGE}\t${PAGE}1\n"a\\\nb\t${PAGE}2\\,3\n`;
    const query = { quote: 'none', escape: 'backslash', delimiter: 'tab', header: 'false', columns: '-,loc' };
    for (const size of [1, 5, 1000]) {
      expect(await valuesIn(csv, query, size)).toEqual([{ loc: `${PAGE}1` }, { loc: `${PAGE}2,3` }]);
    }
  });

  test('is named by the violation of a record that needs it', async () => {
    const [record] = await readForm(
      'csv',
      `loc\tx\n${row(1, '"Best" pans')}\n`.replace('\t2026-01-15', ''),
      7,
      {
        columns: 'loc',
      },
    );
    expect(record!.violations[0]!.message).toContain('quote=none');
  });
});

describe('charset', () => {
  const csv = `loc;image_title\n${PAGE};Grüße – 20 €\n`;
  const expected = [{ loc: PAGE, images: [{ title: 'Grüße – 20 €' }] }];
  const windows1252 = Buffer.from(
    [...csv].map((character) => ({ '–': 0x96, '€': 0x80 })[character] ?? character.charCodeAt(0)),
  );

  test.each([
    ['windows-1252', windows1252],
    ['iso-8859-15', Buffer.from(csv.replace('–', '-').replace('€', '\xa4'), 'latin1')],
    ['utf-16le', Buffer.from(csv, 'utf16le')],
    ['utf-16be', Buffer.from(csv, 'utf16le').swap16()],
    [undefined, Buffer.from(`\ufeff${csv}`, 'utf16le')],
    [undefined, Buffer.from(`\ufeff${csv}`, 'utf16le').swap16()],
    [undefined, Buffer.from(`\ufeff${csv}`)],
  ])('%s', async (charset, body) => {
    for (const size of [1, 2, 3, 1000]) {
      const values = await valuesIn(body, charset === undefined ? {} : { charset }, size);
      expect(values).toEqual(
        charset === 'iso-8859-15' ? [{ loc: PAGE, images: [{ title: 'Grüße - 20 €' }] }] : expected,
      );
    }
  });

  test.each([
    [windows1252, {}, 'add charset=windows-1252'],
    [Buffer.from(csv, 'utf16le'), {}, 'add charset=utf-16le'],
    [Buffer.from(`${[...csv].join('\0')}\0`, 'utf16le'), {}, 'it is UTF-32: save it as UTF-8'],
    [Buffer.from('a\ud800b', 'utf16le'), { charset: 'utf-16le' }, 'it is not UTF-16LE'],
    [Buffer.from(csv.replaceAll('\n', '\r')), {}, 'CR alone'],
    [Buffer.from(`"loc","image_title"\r"${PAGE}","a ""b"", c"\r"${PAGE}",\r`), {}, 'CR alone'],
    [Buffer.from(csv.replaceAll('\n', '\r\r\n')), {}, 'CR CR LF'],
    [Buffer.from(`"loc"\r\r\n"${PAGE}"\r\r\n`), {}, 'CR CR LF'],
  ])('a wrong one is refused with the cure', async (body, query, message) => {
    for (const size of [1, 1000]) {
      await expect(batchesOf('csv', body, size, query)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(message),
      });
    }
  });
});

describe('members of JSON', () => {
  test('are renamed, put into objects and lists, and left out', async () => {
    const rows = [
      { url: PAGE, sku: 7, photo: `${PAGE}1.png`, score: '0.5', pics: [{ loc: PAGE }], gone: null },
      { url: 5 },
      { sku: 8 },
      { url: 'x', photo: 'y' },
    ];
    const records = await readForm('ndjson', rows.map((row) => JSON.stringify(row)).join('\n'), 7, {
      columns: 'loc:url,image_loc:photo,priority:score,lastmod:gone',
    });
    expect(records.map(({ value }) => value)).toEqual([
      { loc: PAGE, images: [{ loc: `${PAGE}1.png` }], priority: 0.5 },
      { loc: 5 },
      {},
      { loc: 'x', images: [{ loc: 'y' }] },
    ]);
    expect(records.map(({ violations }) => violations.map(({ field }) => field))).toEqual([
      [],
      ['url'],
      ['url'],
      ['url', 'photo'],
    ]);
  });

  test('may be whole lists, and decide about their records', async () => {
    const rows = [
      { url: PAGE, pics: [{ loc: PAGE }], status: 200 },
      { url: 'x', status: 404 },
      { url: PAGE },
    ];
    // Each object has members such as `constructor`, though not of its own.
    expect(await readForm('ndjson', '{"loc":"x"}\n', 7, { where: 'constructor:x*' })).toEqual([
      expect.objectContaining({ value: undefined }),
    ]);
    const query = { columns: 'loc:url,images:pics', where: 'status:200' };
    const records = await readForm('ndjson', rows.map((row) => JSON.stringify(row)).join('\n'), 7, query);
    expect(records.map(({ value }) => value)).toEqual([
      { loc: PAGE, images: [{ loc: PAGE }] },
      undefined,
      undefined,
    ]);
  });

  test('a number beyond the range of JSON is no absent value', async () => {
    const body = `{"url":"${PAGE}","score":1e400}\n{"url":"${PAGE}","film":{"title":"t","description":"d","player_loc":"${PAGE}","thumbnail_loc":"${PAGE}","rating":-1e400}}`;
    const columns = 'loc:url,priority:score,video:film';
    const records = await readForm('ndjson', body, 7, { columns });
    expect(records.map(({ violations }) => violations.at(-1))).toMatchObject([
      { field: 'score', value: 'Infinity' },
      { field: 'film.rating', value: '-Infinity' },
    ]);
  });

  test.each<Query>([{ where: 'x:1' }, { columns: 'loc,images:x' }, { columns: 'loc' }])(
    'a record that is nested too deep is refused, and does not overflow the stack: %j',
    async (query) => {
      const line = `{"loc":"${PAGE}","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
      const [record] = await readForm('ndjson', line, 65_536, query);
      expect(record!.violations).toMatchObject([
        { field: 'line', message: 'must be nested at most 30 levels deep' },
      ]);
    },
  );

  test('a line that is no object keeps its own violation', async () => {
    const records = await readForm('ndjson', `[1]\nx\n{"url":"${PAGE}"}`, 7, { columns: 'loc:url' });
    expect(records.map(({ violations }) => violations.map(({ field }) => field))).toEqual([
      ['line'],
      ['line'],
      [],
    ]);
  });
});

const special = [
  '"',
  '""',
  '\\',
  '\\N',
  '\\"',
  '\\\\',
  ',',
  ';',
  '\t',
  '|',
  '\x01',
  '\r',
  ' ',
  'a',
  '0.5',
  '1',
  'NULL',
  'NaN',
  'é',
  'x'.repeat(20),
  '"a"',
  `${PAGE}p`,
];
const anyText = (more: readonly string[]) =>
  fc.array(fc.constantFrom(...special, ...more), { maxLength: 12 }).map((parts) => parts.join(''));
const anyColumns = fc
  .shuffledSubarray(['loc', 'lastmod', 'priority', 'changefreq', '-', '-', '-'], { minLength: 2 })
  .filter((columns) => columns.includes('loc'));
const anyDialect = fc.record({
  delimiter: anyDelimiter,
  columns: anyColumns,
  hasEscapes: fc.boolean(),
  hasQuotes: fc.boolean(),
});

const queryOf = ({
  delimiter,
  columns,
  hasEscapes,
  hasQuotes,
}: {
  delimiter: string;
  columns: readonly string[];
  hasEscapes: boolean;
  hasQuotes: boolean;
}) => ({
  header: 'false',
  delimiter,
  columns: columns.join(','),
  ...(hasEscapes && { escape: 'backslash' }),
  ...(!hasQuotes && { quote: 'none' }),
});

describe('quotes of other programs', () => {
  test("NULL of MariaDB with ESCAPED BY '\"' has its cure", async () => {
    const rows = [
      '"https://example.com/1","N,"x"',
      '"https://example.com/1","N,"N',
      '"https://example.com/1",1,"N',
    ];
    for (const row of rows) {
      const [record] = await readForm(
        'csv',
        `loc,priority,image_title\n${row}\n"https://example.com/2",1,"x"\n`,
      );
      expect(record!.violations[0]!.message).toMatch(
        /if "N means NULL, .* leave that out and add escape=backslash/,
      );
    }
  });

  test.each([
    ['in the header', "'loc','lastmod'\n'https://example.com/','2026-01-15'\n"],
    ['around a URL', "loc,lastmod\n'https://example.com/','2026-01-15'\n"],
    ['around a URL with a comma', "loc,lastmod\n'https://example.com/?a=1,2',2026-01-15\n"],
  ])('apostrophes %s have theirs', async (_, body) => {
    const read = readForm('csv', body).then(([record]) => record!.violations[0]!);
    const { message } = await read.catch((error: Error) => error);
    expect(message).toContain(`if its cells are quoted by ', export it with " in their place`);
  });
});

test('NDJSON whose line breaks have two backslashes is told with its cure', async () => {
  const line = (description: string) => `${JSON.stringify({ loc: 'https://example.com/', description })}\n`;
  const told = async (body: string) => {
    const [batch] = await batchesOf('ndjson', body);
    const { escapes = 0 } = entriesOf(batch!);
    return dialectWarnings({}, {}, { notes: { ...NO_NOTES, escapes }, filtered: 0 });
  };
  expect(await told(line('a\nb\tc \\ d') + line('C:\\'))).toEqual([]);
  expect(await told(line('a\\nb\\nc') + line('a\n') + line('\\\\\\tx'))).toEqual([
    '2 texts have a backslash and a letter, as in \\t. If that is one character, the backslashes are doubled, as COPY and mariadb -B write them: use psql -Atc, or mariadb -Br.',
  ]);
});

test('numbers of days and seconds may have a decimal comma', async () => {
  const csv = `URL;Geändert\n${PAGE};46037,4166666667\n`;
  const query = {
    columns: 'loc:URL,lastmod:Geändert',
    dates: 'excel',
    timezone: 'Europe/Berlin',
    decimal: 'comma',
  };
  expect(await valuesIn(csv, query)).toEqual(await valuesIn(csv.replace('7,4', '7.4'), query));
  expect(await valuesIn(csv, query)).toEqual([{ loc: PAGE, lastmod: '46037.4166666667' }]);
});

test.each<[string, string, Query]>([
  ['a quote behind a backslash', `${PAGE},"Pan 12\\" steel",2026-01-15`, { escape: 'backslash' }],
  ['a bare mark of inches', `${PAGE}\tPan 27"\t2026-01-15`, { delimiter: 'tab' }],
  ['a quote behind another delimiter', `${PAGE},Size|\\"27,2026-01-15`, { escape: 'backslash' }],
])('%s in the first record hides no end of it, however much follows', async (_, record, query) => {
  const d = query.delimiter === 'tab' ? '\t' : ',';
  const rows = Array.from({ length: 5000 }, (_, i) => [`${PAGE}${i}`, 'x', '2026-01-16'].join(d));
  const csv = `${[record, ...rows].join('\n')}\n`;
  const values = await valuesIn(csv, { header: 'false', columns: 'loc,-,lastmod', ...query });
  expect(values).toHaveLength(5001);
  expect(values[0]).toEqual({ loc: PAGE, lastmod: '2026-01-15' });
});

test('any records in any dialect are read alike with and without the kernel', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyDialect,
      fc.array(anyText(['\n']), { maxLength: 12 }),
      fc.integer({ min: 1, max: 90 }),
      async (dialect, lines, size) => {
        const d = DELIMITERS[dialect.delimiter];
        const rows = lines.map((line, i) =>
          i % 2 === 0
            ? line
            : Array.from(dialect.columns, (_, n) => line.slice(n, n + 3).replaceAll(/["\\\n]/g, '')).join(d),
        );
        const csv = [Array.from(dialect.columns, () => 'z').join(d), ...rows].join('\n');
        const query = queryOf(dialect);
        const fast = await readForm('csv', csv, size, query);
        // A text for absent values keeps all records from the kernel.
        expect(fast).toEqual(await readForm('csv', csv, 65_536, { ...query, null: 'never there' }));
      },
    ),
    { numRuns: 10 * PROPERTY_RUNS },
  );
});

test('any cells in any dialect are read as csv-parse reads them', async () => {
  const cell = fc
    .array(
      fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r\n', ' ', '\\', 'a', 'é', '😀', 'x'.repeat(17)),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('comma', 'semicolon', 'tab', 'pipe'),
      fc.boolean(),
      rows,
      fc.integer({ min: 1, max: 90 }),
      async (name, hasEscapes, cells, size) => {
        const delimiter = DELIMITERS[name as keyof typeof DELIMITERS];
        const written = (text: string) =>
          `"${hasEscapes ? text.replaceAll(/[\\"]/g, '\\$&') : text.replaceAll('"', '""')}"`;
        const csv = [['loc', 'changefreq', 'lastmod'], ...cells]
          .map((row) => row.map(written).join(delimiter))
          .join('\n');
        const judged = parse(csv, {
          delimiter,
          escape: hasEscapes ? '\\' : '"',
          from: 2,
          record_delimiter: ['\n'],
        }) as unknown as string[][];
        const read = await valuesIn(
          csv,
          { delimiter: name, ...(hasEscapes && { escape: 'backslash' }) },
          size,
        );
        const values = read.map((value) =>
          ['loc', 'changefreq', 'lastmod'].map((member) => (value as Record<string, string>)[member] ?? ''),
        );
        expect(values).toEqual(judged);
      },
    ),
    { numRuns: 2 * PROPERTY_RUNS },
  );
});

test('a separator that the header tells is never another one', async () => {
  const name = fc
    .array(fc.constantFrom('url', 'Last Modified', 'loc', 'x', ' ', ',', ';', '|', '\t', '"', 'a,b', 'c;d'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join(''));
  const value = fc.constantFrom('', 'x', 'a,b', 'c;d', 'e|f', 'g\th', '2026-01-15', `${PAGE}q`);
  const row: fc.Arbitrary<string[]> = fc.array(value as fc.Arbitrary<string>, { minLength: 8, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      anyDelimiter,
      fc.array(name, { maxLength: 7 }),
      fc.nat(7),
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (key, others, at, rows, quotesAll) => {
        const delimiter = DELIMITERS[key];
        const names = others.toSpliced(at, 0, 'Address');
        const position = names.indexOf('Address');
        const urls = rows.map((cells, i) => cells.slice(0, names.length).with(position, `${PAGE}${i};a|b,c`));
        const written = (text: string) =>
          quotesAll || text.includes(delimiter) || /["\n]/.test(text)
            ? `"${text.replaceAll('"', '""')}"`
            : text;
        const csv = [names, ...urls].map((cells) => cells.map(written).join(delimiter)).join('\n');
        const expected = urls.map((cells) => ({ loc: cells[position] }));
        try {
          const records = await readForm('csv', csv, 65_536, { columns: 'loc:Address' });
          // A violation is loud. A value must be the right one.
          for (const [i, { value, violations }] of records.entries())
            if (violations.length === 0) expect(value).toEqual(expected[i]);
        } catch (error) {
          expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
        }
      },
    ),
    { numRuns: 10 * PROPERTY_RUNS },
  );
});

test('any bytes are cut into the same records with escapes, whatever the chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyText(['\n', '\n', '\\\n', 'x'.repeat(63)]),
      fc.integer({ min: 1, max: 130 }),
      async (body, size) => {
        const csv = `loc,lastmod\n${body}`;
        const query = { escape: 'backslash' };
        expect(await readForm('csv', csv, size, query)).toEqual(await readForm('csv', csv, 65_536, query));
      },
    ),
    { numRuns: 4 * PROPERTY_RUNS },
  );
});
