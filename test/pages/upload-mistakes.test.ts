import { expect, test } from 'vitest';
import { formOfText, insteadOf } from '../../pages/views/upload/file-form.ts';
import { countRows } from '../../pages/views/upload/form/count-rows.ts';
import { cureIn } from '../../pages/views/upload/mistakes/cure-in.ts';
import { mistakesCsv } from '../../pages/views/upload/mistakes/mistakes-csv.ts';
import { sayMistake } from '../../pages/views/upload/mistakes/say-mistake.ts';
import { sayDate } from '../../pages/views/upload/say-date.ts';
import { sayCure, sayOrder } from '../../pages/views/upload/say-parameters.ts';
import { previewUpload } from '../../src/features/uploads/preview-upload.ts';

const PAGE = 'https://www.example.com/';

test.each([
  [`${PAGE}\n${PAGE}b\n`, 'text'],
  [`${PAGE},2026-01-15\n${PAGE}b,2026-01-16\n`, 'csv'],
  [`${PAGE}|2026-01-15\n`, 'csv'],
  ['url;x\n', 'csv'],
  [' <urlset>', 'xml'],
  ['[{"a":1}]', 'json'],
  ['{"domain":"a"', 'json'],
  ['{"urls":[]}', 'json'],
  ['{"url":"x"}\n{"url":"y"}\n', 'ndjson'],
])('%j is %s', (text, form) => {
  expect(formOfText(text, true)).toBe(form);
});

test('files that are no text have a way instead', () => {
  const zip = new Uint8Array([0x50, 0x4b, 0x03, 0x04]);
  expect(insteadOf('a.xlsx', zip)).toContain('workbook');
  expect(insteadOf('a.zip', zip)).toContain('ZIP');
  expect(insteadOf('a.pdf', Buffer.from('%PDF-1.7'))).toContain('PDF');
  expect(insteadOf('a.csv', Buffer.from('url'))).toBeUndefined();
  expect(insteadOf('a.csv', new Uint8Array())).toBe('The file is empty.');
});

test.each([
  ['csv', 'url,x\na,"1\n2"\n\nb,2', 3],
  ['csv', '', 0],
  ['text', 'a"\nb\n\n', 2],
] as const)('%s %j has %i rows', async (form, text, rows) => {
  expect(await countRows(new Blob([text]), form, new AbortController().signal)).toBe(rows);
});

test.each([
  ['2026-11-02', '2 Nov 2026'],
  ['2026-11-02T10:15:00Z', '2 Nov 2026, 10:15 UTC'],
  ['2026-11-02T10:15:00.123+01:00', '2 Nov 2026, 10:15 +01:00'],
  ['2026', '2026'],
  ['2026-25-11', '2026-25-11'],
  ['2026-02-31', '2026-02-31'],
  ['soon', 'soon'],
])('the date %s is %s', (date, said) => {
  expect(sayDate(date)).toBe(said);
});

test('parameters are said', () => {
  expect(sayOrder('3/4/2026')).toBe('3/4/2026 is in March or in April.');
  expect(sayOrder('15.1.2026')).toBe('');
  expect(sayCure({ dates: 'mdy', timezone: 'America/New_York' })).toBe(
    'month/day/year, in the time of New York',
  );
});

test('the messages of the service are said in plain words', async () => {
  const said = async (body: string, query = {}, form: 'csv' | 'text' = 'csv') => {
    const { rows, refusal } = await previewUpload(form, query, Buffer.from(body));
    const all = rows.flatMap(({ violations }) => violations);
    return [...all, ...(refusal ? [refusal] : [])].map(
      ({ message, field }) => sayMistake(message, field).title,
    );
  };
  const date = (text: string) => said(`loc,lastmod\n${PAGE},${text}\n`);
  expect(await date('soon')).toEqual(["The date can't be read"]);
  expect(await date('3/4/2026')).toEqual(["The date can't be read"]);
  expect(await date('2026-01-15 10:00')).toEqual(['The time has no time zone']);
  expect(await date('46037')).toEqual(['The date is a number']);
  expect(await date('0000-00-00')).toEqual(['This is no date']);
  expect(await said('loc\nwww.example.com\n')).toEqual(['The URL has no https://']);
  expect(await said('loc,priority\n,1\n')).toEqual(['The URL is missing']);
  expect(await said(`loc\n${PAGE}${'x'.repeat(2048)}\n`)).toEqual(['URL is longer than 2,048 characters']);
  expect(await said(`loc,priority\n${PAGE}\n`)).toEqual(["The row isn't separated like the header"]);
  expect(await said(`loc,priority\n${PAGE},7\n`)).toEqual([
    'priority must be a number from 0 to 1, or empty',
  ]);
  expect(await said(`loc,priority\n${PAGE},unknown\n`)).toEqual([
    'priority must be a number from 0 to 1, or empty',
  ]);
  expect(await said(`loc\n'${PAGE}'\n`)).toEqual([`Export it with " around cells, not with '`]);
  expect(await said(`'loc'\n'${PAGE}'\n`)).toEqual([`Export it with " around cells, not with '`]);
  expect(await said(`loc,Titel\n${PAGE},7\n`)).toEqual(["Waypost doesn't know the column “Titel”"]);
  const dates = async (date: string, spelling = 'iso') =>
    said(`loc,lastmod\n${PAGE},${date}\n`, { dates: spelling });
  expect(await dates('2026')).toEqual(['Last modified is a year: write a day, like 2026-01-15']);
  expect(await dates('1767225600000000000')).toEqual([
    'Last modified is a number of nanoseconds: write microseconds, with dates=unix-micros',
  ]);
  expect(await dates('1767225600000', 'unix-seconds')).toEqual(['The date is a number']);
  expect(await said(`${PAGE}a${PAGE}b ${PAGE}c`, {}, 'text')).toEqual(['A line has several URLs']);
  expect(await said(`${PAGE}\n\ufeff${PAGE}\n`, {}, 'text')).toEqual([
    'URL must not begin with a byte order mark, which nobody sees',
  ]);
});

test('the CSV of mistakes has the rows as they stand in the file', async () => {
  const rows = ['sep=;', 'Ziel;Größe', `${PAGE};1`, 'bad;"x ""y""', 'goes on"', `${PAGE};2`, 'worse;3'];
  const file = new File([rows.join('\r\n')], 'x.csv');
  const violation = {
    field: 'Ziel',
    value: 'bad',
    message: 'must be an absolute URL that starts with http:// or https://',
  };
  const parameters = { delimiter: 'semicolon', columns: 'loc:Ziel' };
  const csv = await mistakesCsv(
    [
      { ...violation, line: 4 },
      { ...violation, line: 7 },
      { ...violation, line: 7, field: 'Größe', message: 'must be a "size"' },
    ],
    { file, form: 'csv', encoding: undefined, delimiter: 'semicolon', parameters },
  );
  expect(csv).toBe(
    [
      '\ufeffrow;"mistake";Ziel;Größe',
      '4;"The URL has no https://";bad;"x ""y""\ngoes on"',
      '7;"The URL has no https://; Größe must be a ""size""";worse;3',
      '',
    ].join('\r\n'),
  );
});

test('the lines of a list and what stands in a document have cells of their own', async () => {
  const violation = { field: 'loc', value: '=a', message: 'must be "x"' };
  const file = new File(['a"b\n=a'], 'x.txt');
  const list = await mistakesCsv([{ ...violation, line: 1 }], {
    file,
    form: 'text',
    encoding: undefined,
    delimiter: undefined,
    parameters: {},
  });
  expect(list).toBe('\ufeffrow,"mistake","in your file"\r\n1,"URL must be ""x""","a""b"\r\n');
  const document = await mistakesCsv([{ ...violation, field: 'urls[3].loc' }], undefined);
  expect(document).toContain(`"urls[3].loc","'=a"`);
});

test.each([
  [
    'old spreadsheets',
    Buffer.from(`url\n${PAGE}caf\xe9\n`, 'latin1'),
    { columns: 'loc:url' },
    'Windows-1252',
  ],
  ['UTF-16 without a mark', Buffer.from(`loc\n${PAGE}\n`, 'utf16le'), {}, 'UTF-16 LE'],
  ['unknown columns', Buffer.from(`Address,"a, b"\n${PAGE},1\n`), {}, 'URL: “Address”'],
])('a refusal of %s has its cure in its message', async (_of, body, query, said) => {
  const { refusal } = await previewUpload('csv', query, body);
  const cure = cureIn(refusal!.message)!;
  expect(sayCure(cure)).toBe(said);
  expect(sayMistake(refusal!.message).rule).toBeDefined();
  const cured = await previewUpload('csv', { ...query, ...cure }, body);
  expect(cured.refusal).toBeUndefined();
  expect(cured.rows.flatMap(({ violations }) => violations)).toEqual([]);
});

test('a cure that only people can fill in is none', () => {
  expect(cureIn('add columns=loc:…')).toBeUndefined();
  expect(cureIn('must be a date like 2026-01-15')).toBeUndefined();
});
