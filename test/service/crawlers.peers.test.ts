/**
 * Programs by other people read a site as they read any other. Each finds every URL exactly once. They ask for
 * http://maps.customer.com/…, the published address; only the connection goes to this machine's port.
 */
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { type IndexItem, parseSitemap, parseSitemapIndex, XMLToSitemapIndexStream } from 'sitemap';
import Sitemapper from 'sitemapper';
import { afterAll, describe, expect, test } from 'vitest';
import { startDnsServer } from '../support/dns-server.ts';
import { needs } from '../support/needs.ts';
import { createCustomer } from './support/customer.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { runProgram } from './support/real-program.ts';
import { send } from './support/send.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { createFolder } from './support/waypost.ts';

const FILES = 64;
const COUNT = 63_500;
/** With characters that XML must escape. */
const mainUrl = (n: number) => `https://www.customer.com/search?for=maps&page=${n}&from='start'`;
const newUrl = (n: number) => `https://www.customer.com/new/${n}`;
const NEW_COUNT = 10;

const dns = await startDnsServer();
const folder = await createFolder();
const waypost = await useOwnWaypost({ DNS_SERVERS: dns.address, PUBLIC_ORIGIN: 'http://{hostname}' });
const customer = await createCustomer(waypost);
const { hostname, id, cnameTarget } = await customer.createDomain('maps.customer.com');
dns.answers.set(hostname, { cname: cnameTarget });
await customer.call(`POST /api/domains/${id}/verify`);
const published = await customer.publish(
  uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized' }, COUNT, (n) => ({ loc: mainUrl(n) })),
);
await customer.publish({
  domain: hostname,
  sitemapName: 'new',
  urls: entries(NEW_COUNT, (n) => ({ loc: newUrl(n) })),
});

const origin = `http://${hostname}`;
const { host: hostingAddress, port: hostingPort } = new URL(waypost.hostingUrl);
/** Every hostname leads to this machine. */
const agent = new Agent({ keepAlive: true, maxSockets: 10 });
agent.createConnection = (_options, done) =>
  connect(Number(hostingPort), '127.0.0.1').once('connect', done ?? (() => {}));
afterAll(async () => {
  agent.destroy();
  await dns[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const mainUrls = Array.from({ length: COUNT }, (_, n) => mainUrl(n));
const allUrls = [...mainUrls, ...Array.from({ length: NEW_COUNT }, (_, n) => newUrl(n))];

/** Compares sets by their difference: nobody can read a list of 63,510. */
function expectEachOnce(found: readonly string[], wanted: readonly string[]): void {
  const [foundOnce, wantedOnce] = [new Set(found), new Set(wanted)];
  expect({
    missing: [...wantedOnce.difference(foundOnce)].slice(0, 5),
    unknown: [...foundOnce.difference(wantedOnce)].slice(0, 5),
    repeated: found.length - foundOnce.size,
  }).toEqual({ missing: [], unknown: [], repeated: 0 });
}

test('the upload has the index of 64 files that these tests need', () => {
  expect(published).toMatchObject({
    filesGenerated: FILES,
    sitemapUrl: `${origin}/sitemap.xml`,
    indexUrl: `${origin}/sitemap-index.xml`,
  });
});

describe('npm sitemapper', () => {
  test.each([
    ['sitemap-index.xml', allUrls],
    ['sitemap.xml', mainUrls],
    ['sitemap.xml.gz', mainUrls],
    ['sitemap.64.xml', mainUrls.slice(63_000)],
    ['sitemap-new.xml.gz', allUrls.slice(COUNT)],
  ])('finds every URL of /%s', async (file, wanted) => {
    const crawler = new Sitemapper({ proxyAgent: { http: agent } as never, requestHeaders: {} });
    const { sites, errors } = await crawler.fetch(`${origin}/${file}`);
    expect(errors).toEqual([]);
    expectEachOnce(sites, wanted);
  });
});

describe('npm sitemap', () => {
  const fetchText = async (url: string, headers: Record<string, string> = {}) => {
    const { status, body } = await send(url, { agent, headers });
    expect(`${url} ${status}`).toBe(`${url} 200`);
    return body;
  };

  test.each(['', '.gz'])(
    'parseSitemapIndex and parseSitemap find every URL in files ending in .xml%s',
    async (end) => {
      const read = async (url: string) => {
        const body = await fetchText(url + end);
        return Readable.from([end === '' ? body : gunzipSync(body)]);
      };
      const files = await parseSitemapIndex(await read(`${origin}/sitemap-index.xml`));
      expect(files).toHaveLength(FILES + 1);
      const found: string[] = [];
      for (const { url } of files)
        for (const item of await parseSitemap(await read(url))) found.push(item.url);
      expectEachOnce(found, allUrls);
    },
  );

  test('XMLToSitemapIndexStream reads the index of the sitemap: its parts in order, each with a date', async () => {
    const items: IndexItem[] = [];
    await pipeline(
      Readable.from([await fetchText(`${origin}/sitemap.xml`)]),
      new XMLToSitemapIndexStream({ logger: false }),
      async (parsed: AsyncIterable<IndexItem>) => {
        for await (const item of parsed) items.push(item);
      },
    );
    expect(items.map(({ url }) => url)).toEqual(
      Array.from({ length: FILES }, (_, at) => `${origin}/sitemap.${at + 1}.xml`),
    );
    for (const { lastmod } of items) expect(Date.parse(lastmod ?? '')).not.toBeNaN();
  });
});

describe('curl', needs('curl'), () => {
  const XML_FILES = ['sitemap-index.xml', 'sitemap.xml', 'sitemap.64.xml', 'sitemap-new.xml'];

  interface Download {
    readonly code: number | null;
    readonly stdout: Buffer;
    readonly status: number;
    /** By lower-case name. */
    readonly headers: Readonly<Record<string, string[]>>;
    /** The size of the body on the wire. */
    readonly bytes: number;
  }

  /**
   * `route`: how curl gets here. By default the connection is redirected, and the request is the same as to any server.
   */
  async function curl(
    url: string,
    args: readonly string[] = [],
    route = ['--connect-to', `::127.0.0.1:${hostingPort}`],
  ): Promise<Download> {
    const about = '%{stderr}{"status":%{http_code},"bytes":%{size_download},"headers":%{header_json}}';
    const all = [
      '--silent',
      '--noproxy',
      route[0] === '--proxy' ? '' : '*',
      ...route,
      '-w',
      about,
      ...args,
      url,
    ];
    const { code, stdout, stderr } = await runProgram('curl', all, { cwd: folder.path });
    return { code, stdout, ...JSON.parse(stderr) };
  }

  describe.each(['sitemap-index.xml', 'sitemap.xml', 'sitemap.64.xml', 'sitemap-new.xml', 'robots.txt'])(
    '%s',
    (file) => {
      const url = `${origin}/${file}`;
      const isXml = file.endsWith('.xml');

      test('plain and --compressed give the same bytes, each with the length on the wire', async () => {
        const plain = await curl(url, ['-f']);
        const packed = await curl(url, ['-f', '--compressed']);
        for (const { code, status, headers, bytes } of [plain, packed]) {
          expect({ code, status, length: headers['content-length'] }).toEqual({
            code: 0,
            status: 200,
            length: [`${bytes}`],
          });
        }
        expect(plain.headers['content-encoding']).toBeUndefined();
        expect(plain.bytes).toBe(plain.stdout.length);
        expect(packed.headers['content-encoding']).toEqual(isXml ? ['gzip'] : undefined);
        if (isXml) expect(packed.bytes).toBeLessThan(plain.bytes);
        expect(packed.stdout).toEqual(plain.stdout);
      });

      test('HEAD, HTTP/1.0, and through a proxy request (absolute form, RFC 9112 section 3.2.2)', async () => {
        const plain = await curl(url, ['-f']);
        const bare = await curl(url, ['-f', '--head']);
        expect([bare.code, bare.status, bare.headers['content-length']]).toEqual([
          0,
          200,
          [`${plain.bytes}`],
        ]);
        for (const version of ['--http1.0', '--http1.1']) {
          expect((await curl(url, ['-f', version])).stdout).toEqual(plain.stdout);
          const proxied = await curl(url, ['-f', version], ['--proxy', `http://${hostingAddress}`]);
          expect({ ...proxied, headers: null }).toEqual({ ...plain, headers: null });
        }
      });

      test('is not sent again for its entity tag', async () => {
        const etagFile = join(folder.path, `${file}.etag`);
        for (const encoding of [[], ['--compressed']]) {
          const first = await curl(url, ['-f', '--etag-save', etagFile, ...encoding]);
          expect(await readFile(etagFile, 'utf8')).toContain(first.headers.etag?.[0]);
          const again = await curl(url, ['-f', '--etag-compare', etagFile, ...encoding]);
          expect([again.code, again.status, again.bytes]).toEqual([0, 304, 0]);
        }
      });

      test('resumes an interrupted download', async () => {
        const plain = await curl(url, ['-f']);
        const rest = await curl(url, ['-f', '--continue-at', '20']);
        expect([rest.code, rest.status]).toEqual([0, 206]);
        expect(rest.stdout).toEqual(plain.stdout.subarray(20));
      });
    },
  );

  test.each(XML_FILES)(
    '%s as gzip bytes is the same by negotiation and by the name ending in .gz',
    async (file) => {
      const url = `${origin}/${file}`;
      const plain = await curl(url, ['-f']);
      const raw = await curl(url, ['-f', '-H', 'Accept-Encoding: gzip']);
      const alias = await curl(`${url}.gz`, ['-f']);
      expect(alias.headers['content-type']).toEqual(['application/gzip']);
      expect(alias.stdout).toEqual(raw.stdout);
      expect(gunzipSync(alias.stdout)).toEqual(plain.stdout);
    },
  );

  test.each(['/sitemap.65.xml', '/sitemap-none.xml', '/', '/sitemap.xml?', '/sitemap.xml%20'])(
    '-f fails for %s only if it is unknown, and nothing redirects',
    async (path) => {
      const { code, status } = await curl(origin + path, ['-f', '--path-as-is']);
      expect([code, status]).toEqual(path === '/sitemap.xml?' ? [0, 200] : [22, 404]);
    },
  );
});

describe('scrapy', needs('scrapy'), () => {
  const spider = join(import.meta.dirname, 'support/sitemap_spider.py');

  test.each([
    // robots.txt, the index, and every file.
    ['robots.txt', allUrls, FILES + 3],
    ['sitemap-index.xml', allUrls, FILES + 2],
    ['sitemap.xml.gz', mainUrls, FILES + 1],
  ])('SitemapSpider finds every URL from /%s on', async (file, wanted, answers) => {
    // A proxy gets requests in absolute form. We answer the ones for our hosts.
    const environment = { http_proxy: waypost.hostingUrl, PYTHONDONTWRITEBYTECODE: '1' };
    const args = ['runspider', spider, '-a', `start=${origin}/${file}`, '--loglevel', 'ERROR'];
    const { code, stdout, stderr } = await runProgram('scrapy', args, { cwd: folder.path, environment });
    expect(code, stderr).toBe(0);
    const { reason, locs, stats } = JSON.parse(stdout.toString());
    expect(reason, stderr).toBe('finished');
    expect(stats).toMatchObject({
      'downloader/response_count': answers,
      'downloader/response_status_count/200': answers,
    });
    expect(stats, stderr).not.toHaveProperty(['log_count/ERROR']);
    expectEachOnce(locs, wanted);
  });
});
