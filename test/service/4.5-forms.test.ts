/** Uploads in each form with a line for each entry, in each encoding, and how their faults are told; JSON in gzip. */
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchEntries, fetchLocs } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { entries, inPieces } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const MiB = 1024 * 1024;
const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();

const entryAt = (i: number) => ({
  loc: `https://example.com/${i}?a=1&b=2`,
  lastmod: '2026-01-15',
  priority: 0.5,
});
/** Three files, and more than one batch. */
const COUNT = 2_100;
const all = Array.from({ length: COUNT }, (_, i) => entryAt(i));

type Entry = ReturnType<typeof entryAt>;
interface Written {
  readonly type: string;
  /** The part of an entry that the form can carry. */
  readonly carried: (entry: Entry) => object;
  readonly write: (entries: readonly Entry[]) => string;
}

const linesOf = (line: (entry: Entry) => string) => (entries: readonly Entry[]) =>
  entries.map((entry) => `${line(entry)}\n`).join('');

const FORMS = {
  ndjson: {
    type: 'application/x-ndjson',
    carried: (entry) => entry,
    write: linesOf((entry) => JSON.stringify(entry)),
  },
  text: { type: 'text/plain', carried: ({ loc }) => ({ loc }), write: linesOf(({ loc }) => loc) },
} as const satisfies Record<string, Written>;
type Form = keyof typeof FORMS;
const NAMES = Object.keys(FORMS) as Form[];

/** The default of brotli takes seconds. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const ENCODINGS = {
  none: { headers: {}, encode: (text: Buffer) => text },
  gzip: { headers: { 'Content-Encoding': 'gzip' }, encode: gzipSync },
  zstd: { headers: { 'Content-Encoding': 'zstd' }, encode: zstdCompressSync },
  br: { headers: { 'Content-Encoding': 'br' }, encode: (text: Buffer) => brotliCompressSync(text, FAST) },
};
const COMPRESSED = ['gzip', 'zstd', 'br'] as const;

const bodyIn = (form: Form, entries: readonly Entry[] = all) => Buffer.from(FORMS[form].write(entries));

function post(
  form: Form,
  body: Uint8Array | Iterable<Uint8Array>,
  { query = `domain=${hostname}`, headers = {} }: { query?: string; headers?: object } = {},
) {
  return customer.call(`POST /api/sitemap/generate?${query}`, {
    body,
    headers: { 'Content-Type': FORMS[form].type, ...headers },
  });
}

test.each(
  NAMES.flatMap((form) =>
    Object.keys(ENCODINGS).map((name) => [form, name as keyof typeof ENCODINGS] as const),
  ),
)('4.5 an upload as %s with encoding %s is published', async (form, name) => {
  const { headers, encode } = ENCODINGS[name];
  const sitemapName = `${form}-${name}`;
  const query = `domain=${hostname}&sitemapName=${sitemapName}&sizeLimit=gsc-optimized`;
  const body = encode(bodyIn(form));
  for (const sent of [body, inPieces(body, 997)]) {
    const { status, json } = await post(form, sent, { query, headers });
    expect(json.data).toMatchObject({ domain: hostname, sitemapName, urlCount: COUNT, filesGenerated: 3 });
    expect(status).toBe(200);
  }
  const first = await fetchEntries(waypost, hostname, `/sitemap-${sitemapName}.1.xml`);
  const expected = form === 'text' ? all.map(({ loc }) => ({ loc })) : all;
  expect(first).toEqual(expected.slice(0, 1_000));
});

test('4.5 no frame of a zstd body is lost, however many come in one chunk', async () => {
  const lines = Array.from({ length: 500 }, (_, i) => Buffer.from(`https://example.com/frame/${i}\n`));
  const frames = lines.flatMap((line) => [zstdCompressSync(line), zstdCompressSync('')]);
  const { json } = await post('text', Buffer.concat(frames), { headers: { 'Content-Encoding': 'zstd' } });
  expect(json.data).toMatchObject({ urlCount: 500 });
  const sent = lines.map((line) => line.toString().trim());
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(sent);
});

describe.each(COMPRESSED)('with encoding %s', (name) => {
  const { headers, encode } = ENCODINGS[name];

  test('spec D56 a bomb is refused', async () => {
    const { status, json } = await post('text', encode(Buffer.alloc(12 * MiB, '\n')), { headers });
    expect({ status, code: json.error.code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  test('4.1 small JSON bodies may have it too', async () => {
    const { status, json } = await customer.call('POST /api/domains', {
      body: encode(Buffer.from('{"hostname":"192.0.2.1"}')),
      headers,
    });
    expect({ status, field: json.error.details.field }).toEqual({ status: 422, field: 'hostname' });
  });
});

describe('a JSON document in gzip', () => {
  const upload = (body: Uint8Array, encoding = 'gzip') =>
    customer.upload(body, { headers: { 'Content-Encoding': encoding } });
  const documentOf = (count: number, padding = '') =>
    Buffer.from(padding + JSON.stringify({ domain: hostname, force: true, urls: entries(count) }));

  test('4.5 is decompressed, under each name of gzip and in several members', async () => {
    const whole = documentOf(300);
    const members = Buffer.concat([gzipSync(whole.subarray(0, 1000)), gzipSync(whole.subarray(1000))]);
    for (const [body, encoding] of [
      [gzipSync(documentOf(5000)), 'GZIP'],
      [gzipSync(whole), 'x-gzip'],
      [members, 'gzip'],
    ] as const) {
      const { status, json } = await upload(body, encoding);
      expect({ encoding, status, served: json.data?.served }).toEqual({
        encoding,
        status: 200,
        served: true,
      });
    }
    const sent = entries(300).map((entry) => (entry as { loc: string }).loc);
    await vi.waitFor(
      async () => expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(sent),
      SOON,
    );
  });

  test('spec D14 is refused if it is compressed more than 200 to 1', async () => {
    const { status, json } = await upload(gzipSync(documentOf(1, ' '.repeat(4 * MiB)), { level: 9 }));
    expect({ status, code: json.error.code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  test('spec D14 may compress to nearly nothing in its first MiB', async () => {
    const body = gzipSync(documentOf(1, ' '.repeat(MiB - 1000)), { level: 9 });
    expect(body.length).toBeLessThan(MiB / 200);
    expect((await upload(body)).status).toBe(200);
  });
});

test.each(['gzip, br', 'deflate', 'compress', 'aws-chunked'])(
  'spec D56 the Content-Encoding %s is refused',
  async (encoding) => {
    const { status, json } = await post('text', bodyIn('text'), {
      headers: { 'Content-Encoding': encoding },
    });
    expect(status).toBe(400);
    expect(json.error.message).toBe('Content-Encoding must be one of gzip, zstd, br, or absent.');
  },
);

describe('spec D55', () => {
  const faultOf = async (...given: Parameters<typeof post>) => {
    const { status, json } = await post(...given);
    return { status, ...json.error };
  };

  test('a fault in a line names the line, the index and the field', async () => {
    const body = Buffer.from(
      `${bodyIn('ndjson', all.slice(0, 3))}\r\n\n{"loc":"https://a.example/","priority":7}\n`,
    );
    expect(await faultOf('ndjson', body)).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^line 6, priority: must be /),
      details: {
        field: 'priority',
        value: 7,
        line: 6,
        index: 3,
        errors: [{ field: 'priority', value: 7, line: 6, index: 3 }],
        errorCount: 1,
      },
    });
    const text = Buffer.from('https://a.example/\n\nhere is no URL\n');
    expect(await faultOf('text', text)).toMatchObject({
      message: expect.stringMatching(/^line 3, loc: must be /),
      details: { field: 'loc', value: 'here is no URL', line: 3, index: 1 },
    });
  });

  test('a line that is no JSON, and a whole document as one line, have messages of their own', async () => {
    expect(await faultOf('ndjson', Buffer.from('{"loc":\n'))).toMatchObject({
      status: 422,
      message: 'line 1: must be one JSON object: it ends too early',
      details: { field: 'line', line: 1, index: 0 },
    });
    const document = Buffer.from(JSON.stringify({ domain: hostname, urls: all.slice(0, 2) }));
    expect(await faultOf('ndjson', document)).toMatchObject({
      status: 422,
      message: expect.stringContaining('send it as application/json'),
    });
  });

  test.each(NAMES)('as %s, domain is a required query parameter', async (form) => {
    expect(await faultOf(form, bodyIn(form), { query: '' })).toMatchObject({
      status: 422,
      message: 'domain: is required; in this form it is a query parameter',
    });
  });

  test.each([
    ['sitemap_name=blog', 'sitemap_name', /did you mean sitemapName/],
    ['sitemapName=a&sitemapName=b', 'sitemapName', /is given more than once/],
    ['sizeLimit=huge', 'sizeLimit', /must be one of/],
  ])('the query %s is refused', async (query, field, message) => {
    const fault = await faultOf('text', bodyIn('text'), { query: `domain=${hostname}&${query}` });
    expect(fault).toMatchObject({ status: 422, details: { field }, message: expect.stringMatching(message) });
  });

  test.each(NAMES)(
    'as %s, text that is not UTF-8, an empty body and a blank one are refused',
    async (form) => {
      const invalid = Buffer.concat([bodyIn(form), Buffer.from([0xc3, 0x28])]);
      expect(await faultOf(form, invalid)).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
      expect(await faultOf(form, Buffer.alloc(0))).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
      expect(await faultOf(form, Buffer.from('\n\r\n'))).toMatchObject({
        status: 422,
        details: { field: 'urls' },
      });
    },
  );

  test('another type is refused with those that are taken', async () => {
    const { status, json } = await customer.call(`POST /api/sitemap/generate?domain=${hostname}`, {
      body: bodyIn('text'),
      headers: { 'Content-Type': 'text/tab-separated-values' },
    });
    expect(status).toBe(400);
    expect(json.error.message).toBe(
      'Content-Type must be one of application/json, application/x-ndjson, text/csv, text/plain, application/xml, application/vnd.apache.parquet. It is text/tab-separated-values.',
    );
  });

  test('Parquet is read by its columns, also in a preview, and a damaged file is refused', async () => {
    const file = Buffer.from(
      parquetWriteBuffer({ columnData: [{ name: 'url', data: all.map(({ loc }) => loc), type: 'STRING' }] }),
    );
    const headers = { 'Content-Type': 'application/vnd.apache.parquet' };
    const send = (path: string, body: Buffer) => customer.call(`POST ${path}`, { body, headers });
    const upload = `/api/sitemap/generate?domain=${hostname}&sitemapName=parquet`;
    expect((await send('/api/uploads/preview', file)).json.data).toMatchObject({
      form: 'parquet',
      header: ['url'],
      refusal: { code: 'VALIDATION_ERROR', field: 'url' },
      suggestions: { columns: 'loc:url' },
    });
    expect(await send(upload, file)).toMatchObject({ status: 422 });
    expect(await send(`${upload}&columns=loc:url`, file)).toMatchObject({
      status: 200,
      json: { data: { urlCount: COUNT, dialect: { columns: [{ member: 'loc', name: 'url' }] } } },
    });
    expect(await fetchLocs(waypost, hostname, '/sitemap-parquet.xml')).toEqual(all.map(({ loc }) => loc));
    file.fill(0xff, file.length - 200, file.length - 100);
    expect(await send(`${upload}&columns=loc:url`, file)).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('the Parquet file is damaged') } },
    });
  });

  test('the members of a JSON document may stand in the query, but not in both', async () => {
    const query = `domain=${hostname}&sitemapName=in-query`;
    const upload = (body: object) => customer.call(`POST /api/sitemap/generate?${query}`, { body });
    expect((await upload({ urls: all })).json.data).toMatchObject({
      sitemapName: 'in-query',
      urlCount: COUNT,
    });
    const { status, json } = await upload({ domain: hostname, urls: all });
    expect({ status, message: json.error.message }).toEqual({
      status: 422,
      message: 'domain: stands in the query already',
    });
  });
});
