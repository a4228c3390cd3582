import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { UploadForm } from '../../src/features/uploads/forms/form.ts';
import {
  MAX_PREVIEW_BYTES,
  type PreviewQuery,
  previewUpload,
} from '../../src/features/uploads/preview-upload.ts';

const PAGE = 'https://www.example.com/';
const preview = (form: UploadForm, body: string | Buffer, query: PreviewQuery = {}) =>
  previewUpload(form, query, Buffer.from(body as string));

test('the first entries are shown as they would be published, with the dialect and its warnings', async () => {
  const csv = `URL;Status Code;Changed\n${PAGE}ü;200;15.01.2026 10:00\n${PAGE}b;404;\n${PAGE}c;200;x\n`;
  const query = {
    columns: 'loc:url,lastmod:Changed',
    where: 'Status Code:200',
    dates: 'dmy',
    timezone: 'Europe/Berlin',
  };
  expect(await preview('csv', csv, query)).toEqual({
    form: 'csv',
    dialect: {
      delimiter: 'semicolon',
      columns: [
        { member: 'loc', name: 'URL' },
        { member: 'lastmod', name: 'Changed' },
      ],
      ignored: ['Status Code'],
      ignoredCount: 1,
      filtered: 1,
      dates: 'dmy',
      timezone: 'Europe/Berlin',
      zoned: 1,
    },
    header: ['URL', 'Status Code', 'Changed'],
    table: {
      delimiter: 'semicolon',
      columns: [
        { name: 'URL', values: [`${PAGE}ü`, `${PAGE}b`, `${PAGE}c`], member: 'loc' },
        { name: 'Status Code', values: ['200', '404', '200'] },
        { name: 'Changed', values: ['15.01.2026 10:00', 'x'] },
      ],
    },
    rows: [
      { line: 2, entry: { loc: `${PAGE}%C3%BC`, lastmod: '2026-01-15T10:00:00+01:00' }, violations: [] },
      {
        line: 4,
        entry: { loc: `${PAGE}c`, lastmod: 'x' },
        violations: [expect.objectContaining({ line: 4, field: 'Changed', value: 'x' })],
      },
    ],
    suggestions: {},
    warnings: [
      '1 column is ignored: Status Code.',
      '1 record is left out by where.',
      '1 time had no zone and got Europe/Berlin.',
    ],
  });
});

describe('parameters that are missing are suggested', () => {
  test.each<[UploadForm, string | Buffer, PreviewQuery]>([
    [
      'csv',
      `url,updated_at\n${PAGE},2026-01-15 10:00:00\n`,
      { columns: 'loc:url,lastmod:updated_at', timezone: 'UTC' },
    ],
    [
      'csv',
      `"Address";"Last Modified"\n"${PAGE}";"15.01.2026"\n`,
      { columns: 'loc:Address,lastmod:Last Modified', dates: 'dmy' },
    ],
    [
      'csv',
      `URL,Last modified\n${PAGE},1/15/2026 10:00\n`,
      { columns: 'loc:URL,lastmod:Last modified', dates: 'mdy', timezone: 'UTC' },
    ],
    [
      'csv',
      `1|${PAGE}|2026-01-15 10:00:00+00\n`,
      { header: 'false', columns: '-,loc,lastmod', delimiter: 'pipe' },
    ],
    ['csv', `"${PAGE}1,2","say ""hi"", ok",2026-01-15\n`, { header: 'false', columns: 'loc,-,lastmod' }],
    ['csv', `"${PAGE}1,2","say \\"hi\\""\n`, { header: 'false', columns: 'loc,-', escape: 'backslash' }],
    ['csv', `loc,lastmod\n${PAGE},46037\n`, { dates: 'excel' }],
    ['csv', `loc,lastmod\n${PAGE},2026\n`, {}],
    ['csv', `loc,lastmod\n${PAGE},1767225600000000000\n`, {}],
    ['csv', `loc;priority\n${PAGE};0,5\n`, { decimal: 'comma' }],
    ['csv', `loc,image_title\n${PAGE},"a \\"b\\""\n`, { escape: 'backslash' }],
    [
      'csv',
      Buffer.from(`url;Titel\n${PAGE};Gr\xfc\xdfe\n`, 'latin1'),
      { charset: 'windows-1252', columns: 'loc:url' },
    ],
    ['csv', Buffer.from(`url\tx\n${PAGE}\t1\n`, 'utf16le'), { charset: 'utf-16le', columns: 'loc:url' }],
    ['ndjson', `{"loc":"${PAGE}","lastmod":1768471200123}`, { dates: 'unix-millis' }],
    ['ndjson', `{"loc":"${PAGE}","lastmod":"2026-01-15 10:00:00"}`, { timezone: 'UTC' }],
    ['csv', `loc,lastmod\n${PAGE},3/4/2026\n`, {}],
    ['csv', `sku,name\n1,a\n`, {}],
    ['csv', `loc\n${PAGE}\n`, {}],
  ])('%s %j: %o', async (form, body, suggestions) => {
    const shown = await preview(form, body, {});
    expect(shown.suggestions).toEqual(suggestions);
    if (Object.keys(suggestions).length === 0) return;
    const faults = ({ refusal, rows }: typeof shown) =>
      [refusal, ...rows.flatMap(({ violations }) => violations)].filter(Boolean);
    expect(faults(shown)).not.toEqual([]);
    const helped = await preview(form, body, suggestions);
    // A quoted title that ends too early still has no news.
    expect(faults(helped).filter((fault) => !JSON.stringify(fault).includes('image_loc'))).toEqual([]);
  });
});

describe('columns are shown with what they seem to be, also of a table that cannot be read yet', () => {
  test.each<[UploadForm, string, PreviewQuery, (string | undefined)[]]>([
    ['csv', `Ziel;Datum\n${PAGE};15.01.2026\n`, {}, ['loc', undefined]],
    ['csv', `sku|name\n1|a,b\n`, {}, [undefined, undefined]],
    ['csv', `URL,Link,Changed at\n${PAGE},${PAGE}b,\n`, {}, ['loc', 'loc', 'lastmod']],
    ['csv', `URL,Canonical,Changed at\n${PAGE},${PAGE},\n`, {}, ['loc', undefined, 'lastmod']],
    ['csv', `url,url\n${PAGE},${PAGE}b\n`, {}, ['loc', 'loc']],
    ['csv', `a,b\n${PAGE},${PAGE}b\n`, {}, ['loc', 'loc']],
    [
      'csv',
      `loc,link,priority,hreflang:de\n${PAGE},${PAGE}b,1,${PAGE}\n`,
      {},
      ['loc', undefined, 'priority', 'hreflang:de'],
    ],
    ['csv', `Handle,Image Src\nred,${PAGE}\n`, {}, ['loc', 'image_loc']],
    ['csv', `page,n\n/a,1\n`, {}, ['loc', undefined]],
    ['csv', `1;${PAGE};2026-01-15;${PAGE}\n`, {}, [undefined, 'loc', 'lastmod', undefined]],
    ['csv', `export of today\nurl;x\n${PAGE};1\n`, { skipLines: '1' }, ['loc', undefined]],
    ['ndjson', `{"id":1,"url":"${PAGE}"}`, {}, [undefined, 'loc']],
    ['json', `[{"url":"${PAGE}","updated_at":"2026-01-15"}]`, {}, ['loc', 'lastmod']],
  ])('%s %j %o: %o', async (form, body, query, members) => {
    const { table } = await preview(form, body, query);
    expect(table?.columns.map(({ member }) => member)).toEqual(members);
  });

  test('each has its first values', async () => {
    const long = `${PAGE}${'x'.repeat(1000)}`;
    const rows = ['', 'b', '"c, ""d"""', 'e', 'f'].map((text) => `${long},${text}`);
    const { table } = await preview('csv', `url,Title\n${rows.join('\n')}\n`);
    expect(table).toEqual({
      delimiter: 'comma',
      columns: [
        { name: 'url', member: 'loc', values: Array(3).fill(long.slice(0, 200)) },
        { name: 'Title', values: ['b', 'c, "d"', 'e'] },
      ],
    });
  });

  test.each<[UploadForm, string]>([
    ['ndjson', `{"loc":"${PAGE}"}`],
    ['json', `{"urls":[{"url":"${PAGE}"}]}`],
    ['text', PAGE],
    ['xml', `<urlset><url><loc>${PAGE}</loc></url></urlset>`],
    ['csv', ''],
  ])('other bodies have none: %s %s', async (form, body) => {
    expect(await preview(form, body)).not.toHaveProperty('table');
  });

  test('the names of members in JSON are suggested', async () => {
    const body = `[{"url":"${PAGE}","updated_at":1768471200123}]`;
    const { suggestions } = await preview('json', body);
    expect(suggestions).toEqual({ columns: 'loc:url,lastmod:updated_at', dates: 'unix-millis' });
    const { rows } = await preview('json', body, suggestions);
    expect(rows).toEqual([{ entry: { loc: PAGE, lastmod: '2026-01-15T10:00:00.123Z' }, violations: [] }]);
  });
});

test.each([
  [
    'NaN, as Python writes it',
    '{"loc":"https://www.example.com/2","priority":NaN}',
    ': NaN and None are no JSON',
  ],
  ['a comma too many', '{"loc":"https://www.example.com/2",}', ': a comma stands before a closing brace'],
  ['a text without quotes', 'x', '.'],
])('an element with %s is told as the refusal of the upload', async (_, element, fault) => {
  const list = `[{"loc":"https://www.example.com/1"},${element},{"loc":"https://www.example.com/3"}]`;
  for (const body of [list, `{"domain":"www.example.com","urls":${list}}`]) {
    const { rows, refusal } = await preview('json', body);
    expect(rows).toHaveLength(1);
    expect(refusal).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(`urls[1] is not valid JSON${fault}`),
    });
  }
});

test('a JSON document tells its members', async () => {
  const body = JSON.stringify({ domain: 'a.example', dryRun: true, urls: [{ loc: PAGE }] });
  expect((await preview('json', body)).document).toEqual({ domain: 'a.example', dryRun: true });
  expect(await preview('json', `[{"loc":"${PAGE}"}]`)).not.toHaveProperty('document');
});

test.each([
  ['json', '{}', 'urls: must hold'],
  ['json', '[]', 'urls: must hold'],
  ['json', '{"urls":[]}', 'urls: must hold'],
  ['json', '{"urls":{}}', 'urls: must be an array'],
  ['json', `{"sizeLimit":"big","urls":[{"loc":"${PAGE}"}]}`, 'sizeLimit: must be one of'],
  ['json', `{"loc":{"0":"${PAGE}"}}`, 'loc: is a member of an entry'],
  ['json', `{"data":[{"loc":"${PAGE}"}]}`, 'data: is not known here'],
  ['csv', 'loc,lastmod\n', 'urls: must hold'],
  ['ndjson', '\n\n', 'urls: must hold'],
  ['xml', '<urlset/>', 'urls: must hold'],
] as const)('a body that no upload takes is refused as by an upload: %s %s', async (form, body, message) => {
  expect((await preview(form, body)).refusal?.message).toContain(message);
});

test.each(['loc', 'url'])('a record that is nested too deep is not shown: %s', async (name) => {
  const line = `{"${name}":"${PAGE}","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  const { rows } = await preview('ndjson', line);
  expect(rows).toEqual([
    {
      line: 1,
      entry: null,
      violations: [expect.objectContaining({ message: 'must be nested at most 30 levels deep' })],
    },
  ]);
});

test('a crawl without a condition has a warning', async () => {
  const { warnings } = await preview('csv', `Address,Indexability\n${PAGE},Indexable\n`, {
    columns: 'loc:Address',
  });
  expect(warnings[1]).toContain('add where=Indexability:Indexable');
});

test.each<[where: string[] | undefined, told: string[]]>([
  [undefined, ['Indexability:Indexable', 'Content Type:text/html*']],
  [['Content Type:image/*'], ['Indexability:Indexable']],
  [['Status Code:200'], ['Content Type:text/html*']],
  [['Status Code:200', 'content type:text/html*'], []],
])('a crawl with the conditions %j has a warning for each other column: %j', async (where, told) => {
  const csv = `Address,Content Type,Status Code,Indexability\n${PAGE},text/html,200,Indexable\n`;
  const { warnings } = await preview('csv', csv, { columns: 'loc:Address', ...(where && { where }) });
  expect(warnings.flatMap((text) => /add where=(.*)\.$/.exec(text)?.[1] ?? [])).toEqual(told);
});

test.each([
  ['\t"Best" pans', { quote: 'none' }],
  ['\t"Pan 12\\" steel"', { escape: 'backslash' }],
  [',"Pan 12\\" steel"', { escape: 'backslash' }],
  // With commas, other cells may need their quotes.
  [',"Best" pans', {}],
])('the quotes of %j tell what is missing', async (title, suggestions) => {
  const shown = await preview('csv', `loc${title[0]}x\n${PAGE}${title}\n`, { columns: 'loc' });
  expect(shown.suggestions).toEqual(suggestions);
  expect(shown.rows).toMatchObject([{ violations: [{ field: 'x' }] }]);
});

test('texts with \\t, and dates in several ways, have warnings', async () => {
  const csv = `loc,news_title,lastmod\n${PAGE},a\\tb,2026-01-15 10:00:00Z\n${PAGE},c,"Thu, 15 Jan 2026 10:00:00 GMT"\n`;
  const { warnings } = await preview('csv', csv);
  expect(warnings.join(' ')).toContain('add escape=backslash');
  const dates = await preview(
    'csv',
    csv.replaceAll('news_title', 'image_loc').replaceAll('a\\tb', PAGE).replaceAll(',c,', `,${PAGE},`),
  );
  expect(dates.warnings).toEqual(['Dates are written in more than one way.']);
});

test('a usual prefix of XML with another namespace has a warning, because its elements are ignored', async () => {
  const warningsOf = async (namespaces: string) =>
    (await preview('xml', `<urlset ${namespaces}><url><loc>${PAGE}</loc></url></urlset>`)).warnings;
  const image = 'http://www.google.com/schemas/sitemap-image/1.1';
  expect(await warningsOf(`xmlns:image="${image}" xmlns:mobile="urn:m"`)).toEqual([]);
  expect(await warningsOf(`xmlns:i="${image}" xmlns:image="urn:other"`)).toEqual([]);
  expect(await warningsOf('xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"')).toEqual([
    `Elements with the prefix image are ignored, because its namespace is https://www.google.com/schemas/sitemap-image/1.1 and not ${image}.`,
  ]);
});

const csv = `loc\n${PAGE}\n`;
test.each<[string, Buffer, string]>([
  ['gzip', gzipSync(csv), 'compressed by gzip'],
  ['zstd', zstdCompressSync(csv), 'compressed by zstd'],
  ['a workbook', Buffer.from('PK\x03\x04\x14\x00\x06\x00'), 'a ZIP file'],
  ['Parquet', Buffer.from('PAR1\x15\x04'), 'a Parquet file'],
  ['xz', Buffer.from('/Td6WFoAAATm1rRG', 'base64'), 'compressed by xz'],
  ['bzip2', Buffer.from('BZh91AY&SY'), 'compressed by bzip2'],
  ['7z', Buffer.from('N3q8ryccAAQ=', 'base64'), 'a 7z archive'],
  [
    'tar',
    Buffer.concat([Buffer.from('urls.csv'.padEnd(257, '\0')), Buffer.from('ustar  \0')]),
    'a tar archive',
  ],
  ['an old workbook', Buffer.from('0M8R4KGxGuE=', 'base64'), 'an old Excel'],
  ['Feather', Buffer.from('ARROW1\0\0\xff', 'latin1'), 'Arrow IPC'],
  ['Avro', Buffer.from('Obj\x01\x04\x14avro.codec'), 'it is Avro'],
  ['lz4', Buffer.from('BCJNGGRApw==', 'base64'), 'compressed by lz4'],
  ['HTML', Buffer.from('\ufeff\n<!doctype HTML>\n<title>Sign in</title>'), 'a page of HTML'],
  ['HTML of XHTML', Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"/>'), 'a page of HTML'],
  [
    'HTML of mariadb -H',
    Buffer.from('<TABLE BORDER=1><TR><TH>loc</TH></TR>'),
    'a table of HTML: export it as CSV',
  ],
  ['COPY BINARY', Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), 'COPY of PostgreSQL'],
])('%s that is sent as a text is named, and needs no charset', async (_, body, named) => {
  for (const form of ['json', 'ndjson', 'csv', 'text', 'xml'] as const) {
    const { refusal, suggestions } = await preview(form, body);
    expect(refusal).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(named) });
    expect(suggestions).toEqual({});
  }
});

test.each<[UploadForm, string]>([
  ['text', ''],
  ['json', '{"urls":['],
  ['xml', '<html>'],
  ['csv', 'loc'],
])('a body that is no upload has its refusal: %s %s', async (form, body) => {
  const { refusal, rows } = await preview(form, body);
  expect(rows).toEqual([]);
  if (form !== 'csv') expect(refusal).toMatchObject({ code: 'BAD_REQUEST' });
});

test.each<[UploadForm, (i: number) => string, string]>([
  ['csv', (i) => `${PAGE}${i}\n`, 'loc\n'],
  ['ndjson', (i) => `{"loc":"${PAGE}${i}"}\n`, ''],
  ['json', (i) => `{"loc":"${PAGE}${i}"},`, '{"domain":"a.example","urls":['],
  ['json', (i) => `{"loc":"${PAGE}${i}"},`, '['],
  ['xml', (i) => `<url><loc>${PAGE}${i}</loc></url>`, '<urlset>'],
])('the end of a body that is cut is no fault: %s', async (form, entryOf, head) => {
  let body = head;
  for (let i = 0; body.length < MAX_PREVIEW_BYTES; i++) body += entryOf(i);
  const shown = await preview(form, body.slice(0, MAX_PREVIEW_BYTES));
  expect(shown.refusal).toBeUndefined();
  expect(shown.rows).toHaveLength(20);
  expect(shown.rows.every(({ violations }) => violations.length === 0)).toBe(true);
});
