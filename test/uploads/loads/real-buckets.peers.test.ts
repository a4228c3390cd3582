/**
 * Buckets of a real store, from the commands of the recipes to the published sitemap. A proxy before the store tells the test when an object is
 * asked for, so that objects change in the middle of a load.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Client } from 'minio';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findS3Store } from '../../../tools/s3-store.ts';
import { runClient } from '../../client/support/run-client.ts';
import { fetchFile, fetchLocs } from '../../service/support/crawler.ts';
import { type Customer, createCustomer } from '../../service/support/customer.ts';
import { useWaypost } from '../../service/support/use-waypost.ts';
import { needs } from '../../support/needs.ts';
import { SOON } from '../../support/soon.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const RECIPES = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');
const PAGE = 'https://www.example.com';
const waypost = await useWaypost();
const store = await findS3Store();
afterAll(() => store?.[Symbol.asyncDispose]());

const NOTHING = async (): Promise<void> => {};

/** Passes requests on as they are, with the header that is signed. `before` runs before an object is asked for. */
async function startProxy(endpoint: string) {
  const proxy = { endpoint: '', before: NOTHING as (key: string, headers: object) => Promise<void> };
  const server = createServer((incoming, response) => {
    const { pathname, search } = new URL(incoming.url!, endpoint);
    const pass = async () => {
      if (!search.includes('list-type')) await proxy.before(pathname.split('/').at(-1)!, incoming.headers);
      const { method, headers, url } = incoming;
      const outgoing = httpRequest(new URL(url!, endpoint), { method: method!, headers }).end();
      const [answer] = await once(outgoing, 'response');
      response.writeHead(answer.statusCode, answer.rawHeaders);
      await pipeline(answer, response);
    };
    // A reader that has seen enough goes away.
    pass().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.3');
  await once(server, 'listening');
  proxy.endpoint = `http://127.0.0.3:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return proxy;
}

/** The blocks of the page below the heading. */
function commandsOf(heading: string): string[] {
  const section = RECIPES.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  return [...section.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, block]) => block!);
}

const open = () => {
  const { endpoint, region, bucket, accessKey, secretKey } = store!.options;
  const url = new URL(endpoint);
  const client = new Client({
    ...{ endPoint: url.hostname, port: Number(url.port), useSSL: url.protocol === 'https:', region },
    ...{ accessKey: accessKey.reveal(), secretKey: secretKey.reveal() },
  });
  const keys = { accessKeyId: accessKey.reveal(), secretAccessKey: secretKey.reveal() };
  return { endpoint, region, bucket, client, keys };
};

describe('a bucket of a real store', needs('an S3 store', 'aws'), () => {
  test('is filled by `aws s3 cp`, and loaded by the command of the recipes', async () => {
    const { endpoint, region, bucket, keys } = open();
    const customer = await createCustomer(waypost);
    const { hostname } = await customer.verifiedDomain();
    const folder = await createTemporaryFolder();
    await mkdir(join(folder, 'export'));
    const urls = Array.from({ length: 3 }, (_, n) =>
      Array.from({ length: 50 }, (_, i) => `${PAGE}/${n}/${i}`),
    );
    for (const [n, some] of urls.entries()) {
      const csv = `id,url,updated_at\n${some.map((one, i) => `${i},${one},2026-01-15 10:00:00`).join('\n')}\n`;
      await writeFile(join(folder, 'export', `urls-${n}.csv.gz`), gzipSync(csv));
    }
    await writeFile(join(folder, 'export', 'notes.txt'), 'not for the sitemap');
    const [connect, copy, load] = commandsOf('Buckets');
    const words = (command: string) =>
      command
        .replaceAll('acme-exports', bucket)
        .replaceAll('sitemaps.example.com', hostname)
        .split(' ')
        .map((word) => word.replace(/^'(.*)'$/, '$1'));
    const { PATH } = process.env;
    const inFolder = {
      cwd: folder,
      env: {
        ...{ PATH, HOME: folder, AWS_DEFAULT_REGION: region },
        ...{ AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey },
      },
    };
    const [program, ...copying] = words(copy!);
    expect(program).toBe('aws');
    await run('/usr/bin/aws', ['--endpoint-url', endpoint, ...copying], inFolder);
    const waypostRuns = (args: readonly string[], environment = {}) =>
      runClient(args, { url: waypost.apiUrl, key: customer.key, stdin: '', environment });
    const connecting = words(connect!.slice(connect!.indexOf('waypost ') + 'waypost '.length));
    expect(connecting.slice(0, 2)).toEqual(['connections', 'set']);
    const given = connecting.map((word) => (word === 'eu-central-1' ? region : word));
    expect(
      await waypostRuns([...given, '--endpoint', endpoint], {
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      }),
    ).toMatchObject({ code: 0 });
    expect(await waypostRuns(words(load!).slice(1))).toMatchObject({ code: 0, stderr: expect.any(String) });
    await vi.waitFor(
      async () => expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(urls.flat()),
      SOON,
    );
    const { body } = await fetchFile(waypost, hostname, '/sitemap.xml');
    expect(body.toString()).toContain('<lastmod>2026-01-15T10:00:00Z</lastmod>');
  });

  describe('whose objects are replaced in the middle of a load', () => {
    const OBJECTS = 12;
    let prefixes = 0;
    async function replaced() {
      const { endpoint, region, bucket, client, keys } = open();
      const proxy = await startProxy(endpoint);
      const customer = await createCustomer(waypost);
      const { hostname } = await customer.verifiedDomain();
      const prefix = `replaced-${++prefixes}`;
      const put = async (version: string) => {
        for (let n = 0; n < OBJECTS; n++) {
          await client.putObject(bucket, `${prefix}/${String(n).padStart(2, '0')}.txt`, linesOf(version, n));
        }
      };
      await put('old');
      const settings = { kind: 's3', endpoint: proxy.endpoint, region, buckets: [bucket], ...keys };
      expect((await customer.call('PUT /api/connections/lake', { body: settings })).status).toBe(200);
      const load = () => loadFrom(customer, hostname, `s3://${bucket}/${prefix}/*`);
      const served = () => fetchLocs(waypost, hostname, '/sitemap.xml');
      return { proxy, put, load, served };
    }
    const linesOf = (version: string, n: number) =>
      Array.from({ length: 200 }, (_, i) => `${PAGE}/${version}/${n}/${i}\n`).join('');
    const locsOf = (version: string) =>
      Array.from({ length: OBJECTS }, (_, n) => linesOf(version, n).trim().split('\n')).flat();

    test.each([0, 7])('is a load that publishes nothing, whether object %i is the first', async (at) => {
      const { proxy, put, load, served } = await replaced();
      expect(await load()).toMatchObject({ outcome: 'published', generation: 1 });
      let isReplaced = false;
      proxy.before = async (key) => {
        if (isReplaced || !key.startsWith(String(at).padStart(2, '0'))) return;
        isReplaced = true;
        await put('new');
      };
      const refused = await load();
      expect(refused).toMatchObject({
        ...{ outcome: 'refused', code: 'CONFLICT', generation: null },
        message: expect.stringMatching(/changed after the load had listed it, as others may have/),
      });
      expect(isReplaced).toBe(true);
      expect(await served()).toEqual(locsOf('old'));
      // The next load has the new export, whole.
      expect(await load()).toMatchObject({ outcome: 'published', generation: 2, urlCount: OBJECTS * 200 });
      await vi.waitFor(async () => expect(await served()).toEqual(locsOf('new')), SOON);
    });
  });
});

async function loadFrom(customer: Customer, domain: string, source: string) {
  const asked = { domain, sources: [source], connection: 'lake', force: true };
  const { status, json } = await customer.call('POST /api/sitemap/load', { body: asked });
  expect({ status, json }).toMatchObject({ status: 202 });
  return vi.waitFor(async () => {
    const answer = await customer.call(`GET ${json.data.statusUrl}`);
    expect(answer.json.data.outcome).not.toBe('running');
    return answer.json.data;
  }, SOON);
}
