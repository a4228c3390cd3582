import { describe, expect, test } from 'vitest';
import type { UploadForm } from '../../pages/views/upload/file-form.ts';
import {
  type Choices,
  delimiterOf,
  readBeginning,
  unusedDates,
  withMember,
} from '../../pages/views/upload/reading.ts';
import { previewUpload } from '../../src/features/uploads/preview-upload.ts';

const PAGE = 'https://www.example.com/';
const ZONE = 'Europe/Berlin';

/** Reads a file like the page, with the service's own preview. */
function read(form: UploadForm, body: string, choices: Choices = {}, kept: Choices = {}) {
  const ask = (parameters: object) => previewUpload(form, parameters as never, Buffer.from(body));
  return readBeginning(ask as never, form, choices, ZONE, () => kept);
}

test.each<[UploadForm, string, string | undefined]>([
  ['csv', `loc;lastmod\n${PAGE};2026-01-15\n`, 'semicolon'],
  ['csv', `loc,lastmod\n${PAGE},2026-01-15\n`, 'comma'],
  ['csv', `Ziel;Datum\n${PAGE};15.01.2026\n`, 'semicolon'],
  ['text', `${PAGE}\n`, undefined],
])('the delimiter is known also where no parameter says it: %s %j', async (form, body, delimiter) => {
  expect(delimiterOf(await read(form, body))).toBe(delimiter);
});

describe('the parameters of an upload follow from its beginning', () => {
  test.each<[UploadForm, string, Choices, object]>([
    ['csv', `loc,lastmod\n${PAGE},2026-01-15\n`, {}, {}],
    [
      'csv',
      `Address;Last Modified;Title\n${PAGE};15.01.2026 10:00;x\n`,
      {},
      { columns: 'loc:Address,lastmod:Last Modified', delimiter: 'semicolon', dates: 'dmy', timezone: ZONE },
    ],
    ['csv', `Ziel;Datum\n${PAGE};15.01.2026\n`, {}, { columns: 'loc:Ziel', delimiter: 'semicolon' }],
    [
      'csv',
      `Ziel;Datum\n${PAGE};15.01.2026\n`,
      { members: ['loc', 'lastmod'] },
      { columns: 'loc:Ziel,lastmod:Datum', delimiter: 'semicolon', dates: 'dmy' },
    ],
    [
      'csv',
      `"URL, long","say ""hi"""\n${PAGE},2026-01-15\n`,
      { members: ['loc', 'lastmod'] },
      { columns: '"loc:URL, long","lastmod:say ""hi"""', delimiter: 'comma' },
    ],
    [
      'csv',
      `url,url,x\n${PAGE}a,${PAGE}b,1\n`,
      { members: ['', 'loc', ''] },
      { header: 'false', skipLines: '1', columns: '-,loc,-', delimiter: 'comma' },
    ],
    ['csv', `1|${PAGE}|2026-01-15\n`, {}, { header: 'false', columns: '-,loc,lastmod', delimiter: 'pipe' }],
    ['csv', `path\n/a\n`, { baseUrl: PAGE }, { columns: 'loc:path', delimiter: 'comma', baseUrl: PAGE }],
    [
      'json',
      `[{"url":"${PAGE}","updated_at":1768471200123}]`,
      {},
      { columns: 'loc:url,lastmod:updated_at', dates: 'unix-millis' },
    ],
    ['json', `{"domain":"a.example","urls":[{"loc":"${PAGE}"}]}`, {}, {}],
    ['ndjson', `{"loc":"${PAGE}","lastmod":"2026-01-15 10:00:00"}`, {}, { timezone: ZONE }],
    [
      'csv',
      `Address,Status Code\n${PAGE},200\n${PAGE}gone,404\n`,
      {},
      { columns: 'loc:Address', delimiter: 'comma', where: ['Status Code:200'] },
    ],
    [
      'csv',
      `Address,Status Code\n${PAGE},200\n${PAGE}gone,404\n`,
      { where: [] },
      { columns: 'loc:Address', delimiter: 'comma' },
    ],
    [
      'csv',
      `Address,Status Code,Indexability\n${PAGE},200,Indexable\n${PAGE}hidden,200,Non-Indexable\n`,
      {},
      { columns: 'loc:Address', delimiter: 'comma', where: ['Indexability:Indexable'] },
    ],
    // Images are indexable, too.
    [
      'csv',
      `Address,Content Type,Indexability\n${PAGE},text/html; charset=UTF-8,Indexable\n${PAGE}a.png,image/png,Indexable\n`,
      {},
      {
        columns: 'loc:Address',
        delimiter: 'comma',
        where: ['Indexability:Indexable', 'Content Type:text/html*'],
      },
    ],
    [
      'csv',
      `Address,Content Type,Status Code\n${PAGE}a.pdf,application/pdf,200\n`,
      {},
      { columns: 'loc:Address', delimiter: 'comma', where: ['Status Code:200'] },
    ],
    // No row would be left, so there is no condition.
    ['csv', `Address,Status Code\n${PAGE},\n`, {}, { columns: 'loc:Address', delimiter: 'comma' }],
    ['text', PAGE, {}, {}],
    ['xml', `<urlset><url><loc>${PAGE}</loc></url></urlset>`, {}, {}],
  ])('%s %j %o: %o', async (form, body, choices, parameters) => {
    const beginning = await read(form, body, choices);
    expect(beginning.parameters).toEqual(parameters);
    expect(beginning.questions).toEqual([]);
    expect(beginning.preview.refusal).toBeUndefined();
    expect(beginning.preview.rows.flatMap(({ violations }) => violations)).toEqual([]);
  });
});

describe('what only a person knows is a question', () => {
  test.each<[string, Choices, string[]]>([
    [`URL,Link\n${PAGE}a,${PAGE}b\n`, {}, ['loc']],
    [`URL,Link\n${PAGE}a,${PAGE}b\n`, { members: ['', 'loc'] }, []],
    [`sku,name\n1,a\n`, {}, ['loc']],
    [`url,updated at\n${PAGE},3/4/2026\n`, {}, ['dates']],
    [`url,updated at\n${PAGE},3/4/2026\n`, { dates: 'mdy' }, []],
    [`path\n/a\n`, {}, ['baseUrl']],
    [`url\n${PAGE}\nfoo\n`, {}, []],
  ])('%j %o: %o', async (body, choices, questions) => {
    expect((await read('csv', body, choices)).questions).toEqual(questions);
  });
});

test('choices that were kept for the header count, unless somebody chooses otherwise', async () => {
  const body = `URL,Link,Changed\n${PAGE}a,${PAGE}b,3/4/2026\n`;
  const kept = { members: ['', 'loc', 'lastmod'], dates: 'dmy' };
  const { parameters, choices } = await read('csv', body, {}, kept);
  expect(parameters).toEqual({ columns: 'loc:Link,lastmod:Changed', delimiter: 'comma', dates: 'dmy' });
  expect(choices).toEqual(kept);
  expect((await read('csv', body, { dates: 'mdy' }, kept)).parameters).toMatchObject({ dates: 'mdy' });
});

test('a member has one column', () => {
  expect(withMember(['loc', '', 'lastmod'], 1, 'loc')).toEqual(['', 'loc', 'lastmod']);
  expect(withMember(['loc', '', ''], 0, '')).toEqual(['', '', '']);
});

test.each<[string, readonly string[], readonly string[], number | undefined]>([
  ['01.10.2026', ['loc', ''], ['Ziel', 'Datum'], 1],
  ['2026-10-01T10:00:00Z', ['loc', ''], ['Ziel', 'Datum'], 1],
  ['10/1/2026 10:00', ['loc', ''], ['Ziel', 'Datum'], 1],
  ['1.5', ['loc', ''], ['Ziel', 'Preis'], undefined],
  ['2026-10-01', ['loc', 'lastmod'], ['Ziel', 'Datum'], undefined],
  ['2026-10-01', ['loc', '', ''], ['Ziel', 'Von', 'Bis'], undefined],
])('a column that alone has dates like %s is proposed by its place', (value, members, names, expected) => {
  const columns = names.map((name, at) => ({ name, values: at === 0 ? [PAGE] : [value] }));
  expect(unusedDates({ columns } as never, members)).toBe(expected);
});
