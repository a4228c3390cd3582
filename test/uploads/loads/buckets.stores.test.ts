/** Loads from buckets: the lists, the reads, the reads that are left out, and hostile stores. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readPlans } from '../../../src/features/accounts/plans.ts';
import type { ConnectionKeys } from '../../../src/features/connections/connection.ts';
import { openConnections } from '../../../src/features/connections/open-connections.ts';
import { findAttempt } from '../../../src/features/uploads/attempt-store.ts';
import { askLoad } from '../../../src/features/uploads/loads/ask-load.ts';
import type { AskedLoad } from '../../../src/features/uploads/loads/load.ts';
import { takeLoads } from '../../../src/features/uploads/loads/load-store.ts';
import { runLoad } from '../../../src/features/uploads/loads/run-load.ts';
import { createReadOutside } from '../../../src/platform/http/read-outside.ts';
import { KeyRing, newKeyRingText } from '../../../src/platform/key-ring.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { BUCKET, listOf, sendError, sendXml, startBucketHost } from '../../support/bucket-host.ts';
import { collectLog } from '../../support/collect-log.ts';
import { indexOf } from '../../support/source-host.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database } = fixture;
const host = await startBucketHost();
afterAll(() => host[Symbol.asyncDispose]());
beforeEach(() => {
  host.objects.clear();
  host.requests.length = 0;
  host.behave = () => false;
});

const PAGE = 'https://www.example.com';
const SECRET = 'a-secret-that-nobody-sees';
const KEYS: ConnectionKeys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET, sessionToken: null };
const TERMS = {
  ...({ sizeLimit: 'standard', onInvalid: 'fail', maxRejected: 0, maxRejectedPercent: null } as const),
  ...{ expectedUrlCount: null, placement: null },
};
const ASKED: AskedLoad = {
  ...{ sources: [`s3://${BUCKET}/urls/*.txt`], form: null, dialect: {}, onMissing: 'fail', allowHosts: [] },
  ...{ ifGeneration: null, force: false, connection: 'lake', ifChanged: false },
};

const connections = openConnections({ database, keys: new KeyRing(newKeyRingText()) });
const read = createReadOutside({ allowedRanges: ['127.0.0.0/8'] });
const log = collectLog();
const nothing = async () => {};

async function newcomer() {
  const accountId = await addAccount(database);
  const { hostname } = await addVerifiedDomain(database, accountId);
  const caller = await fixture.uploaderOf(accountId);
  const given = { endpoint: host.endpoint, region: 'eu-west-1', buckets: [BUCKET], keys: KEYS };
  await connections.put(accountId, 'lake', given, nothing, nothing);
  const load = async (asked: Partial<AskedLoad> = {}) => {
    const session = { hostname, sitemapName: '', terms: TERMS };
    const { id } = await askLoad(fixture.options, caller, session, { ...ASKED, ...asked }, null);
    const [taken] = await takeLoads(database, 1);
    await runLoad(
      {
        ...fixture.options,
        reader: { read, random: () => 0, maxBytes: 1e6, idleMs: 5000, maxWaitMs: 1 },
        ...{ plans: readPlans(), log, reachStore: connections.reach, emitRefused: () => {} },
        reports: { received: () => {}, loadBegins: () => () => {}, loadEnded: () => {} },
      },
      taken!,
      new AbortController().signal,
    );
    const { outcome, message, urlCount, seq, code } = (await findAttempt(database, accountId, id))!;
    return { id, outcome, message, urlCount, seq, code };
  };
  return { accountId, load };
}

const pages = (...numbers: number[]) => numbers.map((n) => `${PAGE}/${n}\n`).join('');
function fill(count = 7): void {
  for (let n = 0; n < count; n++) host.objects.set(`urls/${n}.txt`, pages(n));
}

test('the objects of a pattern are one upload, in the order of the bytes of their keys', async () => {
  fill();
  host.objects.set('urls/_SUCCESS', '');
  host.objects.set('urls/empty.txt', '');
  host.objects.set('urls/more/9.txt', pages(9));
  // In the order of UTF-16, the second key would be the first.
  host.objects.set('urls/\uFB01.txt', pages(10));
  host.objects.set('urls/\u{1F600}.txt', pages(11));
  const { load } = await newcomer();
  expect(await load()).toMatchObject({ outcome: 'published', urlCount: 9, seq: 1 });
  const read = host.requests.filter((request) => request.startsWith('GET'));
  expect(read.toSorted()).toEqual(
    [
      ...Array.from({ length: 7 }, (_, n) => `GET urls/${n}.txt`),
      'GET urls/\uFB01.txt',
      'GET urls/\u{1F600}.txt',
    ].toSorted(),
  );
  expect(read.slice(-2).toSorted()).toEqual(['GET urls/\uFB01.txt', 'GET urls/\u{1F600}.txt'].toSorted());
  expect(host.lastHeaders()).toMatchObject({ authorization: expect.stringContaining('AKIDEXAMPLE') });
});

test('odd keys are read as they are', async () => {
  const keys = ['a b', 'c+d', 'e%20f', 'g?h#i', "j'(k)!*", 'ü/😀', '\\l', '&amp;', 'm//n'];
  for (const [n, key] of keys.entries()) host.objects.set(`urls/${key}.txt`, pages(n));
  const { load } = await newcomer();
  const sources = [`s3://${BUCKET}/urls/**.txt`];
  expect(await load({ sources })).toMatchObject({ outcome: 'published', urlCount: keys.length });
});

test('one object, several patterns, and an address of the web beside them', async () => {
  fill(3);
  host.objects.set('urls/1.txt', gzipSync(pages(1)));
  const { load } = await newcomer();
  const sources = [`s3://${BUCKET}/urls/1.txt`, `s3://${BUCKET}/urls/*.txt`, `s3://${BUCKET}/urls/0.txt`];
  expect(await load({ sources })).toMatchObject({ outcome: 'published', urlCount: 3 });
});

describe('with ifChanged', () => {
  const ifChanged = { ifChanged: true };

  test('a load with the list of the live upload reads nothing', async () => {
    fill();
    const { accountId, load } = await newcomer();
    expect(await load(ifChanged)).toMatchObject({ outcome: 'published', seq: 1 });
    host.requests.length = 0;
    const again = await load(ifChanged);
    expect(again).toMatchObject({ outcome: 'unchanged', seq: 1 });
    expect(host.requests).toEqual(Array(3).fill('LIST urls/'));
    const { rows } = await database.query(
      'SELECT s.status, l.ended_at IS NOT NULL AS ended FROM loads l JOIN upload_sessions s ON s.id = l.session_id WHERE l.id = $1',
      [again.id],
    );
    expect(rows).toEqual([{ status: 'aborted', ended: true }]);
    host.requests.length = 0;
    expect(await load()).toMatchObject({ outcome: 'unchanged' });
    expect(host.requests.filter((request) => request.startsWith('GET'))).toHaveLength(7);
    // That load has recorded its list, too.
    host.requests.length = 0;
    expect(await load(ifChanged)).toMatchObject({ outcome: 'unchanged' });
    expect(host.requests).toEqual(Array(3).fill('LIST urls/'));
    const found = await database.query(
      'SELECT count(*)::int AS count FROM attempts a JOIN domains d ON d.id = a.domain_id WHERE d.account_id = $1',
      [accountId],
    );
    expect(found.rows).toEqual([{ count: 4 }]);
  });

  test.each<[string, () => unknown, Partial<AskedLoad>]>([
    ['another object', () => host.objects.set('urls/x.txt', pages(99)), {}],
    ['an object less', () => host.objects.delete('urls/0.txt'), {}],
    ['another content', () => host.objects.set('urls/0.txt', pages(99)), {}],
    ['another form', () => {}, { form: 'csv', dialect: { header: 'false', columns: 'loc' } }],
    ['force', () => {}, { force: true }],
  ])('%s is read', async (_, change, asked) => {
    fill(3);
    const { load } = await newcomer();
    await load(ifChanged);
    change();
    expect(await load({ ...ifChanged, ...asked })).toMatchObject(
      asked.form === 'csv' ? { outcome: 'unchanged' } : { outcome: 'published', seq: 2 },
    );
    expect(host.requests.filter((request) => request.startsWith('GET')).length).toBeGreaterThan(3);
  });

  test('the list counts only for the live upload', async () => {
    fill(3);
    const { load } = await newcomer();
    await load(ifChanged);
    host.objects.set('urls/0.txt', pages(99));
    await load(ifChanged);
    fill(3);
    expect(await load(ifChanged)).toMatchObject({ outcome: 'published', seq: 3 });
  });

  test('an object that changed after the list ends the load, and the next one reads it', async () => {
    fill(3);
    const { load } = await newcomer();
    host.behave = (_, __, { key }) => {
      if (key === 'urls/1.txt') {
        host.objects.set(key, pages(77));
        host.behave = () => false;
      }
      return false;
    };
    expect(await load(ifChanged)).toMatchObject({
      code: 'CONFLICT',
      message: `s3://${BUCKET}/urls/1.txt changed after the load had listed it, as others may have. Load the bucket when its export is complete.`,
    });
    expect(await load(ifChanged)).toMatchObject({ outcome: 'published', urlCount: 3, seq: 1 });
    expect(await load(ifChanged)).toMatchObject({ outcome: 'unchanged' });
  });

  test('a store without entity tags is always read', async () => {
    host.behave = (_, response, { key, query }) => {
      const body = pages(1);
      if (query === undefined) response.writeHead(200, { 'Content-Length': body.length }).end(body);
      else {
        const Contents = { Key: 'urls/1.txt', Size: body.length };
        sendXml(response, 200, { ListBucketResult: { IsTruncated: 'false', Contents } });
      }
      return key !== 'never';
    };
    const { load } = await newcomer();
    expect(await load(ifChanged)).toMatchObject({ outcome: 'published' });
    expect(await load(ifChanged)).toMatchObject({ outcome: 'unchanged' });
    expect(host.requests.filter((request) => request.startsWith('GET'))).toHaveLength(2);
  });
});

describe('what a store may do, and what the load then says', () => {
  type Behave = typeof host.behave;
  const lists =
    (answer: (token: number) => object): Behave =>
    (_, response, { query }) => {
      if (query === undefined) return false;
      sendXml(response, 200, answer(Number(query.get('continuation-token') ?? 0)));
      return true;
    };
  const objects =
    (status: number, code: string): Behave =>
    (_, response, { query }) => {
      if (query !== undefined) return false;
      sendError(response, status, code);
      return true;
    };
  const all =
    (status: number, code: string): Behave =>
    (_, response) => {
      sendError(response, status, code);
      return true;
    };
  const many = (count: number) => Array.from({ length: count }, (_, i) => [`urls/${i}.txt`, 'x'] as const);

  test.each<[string, Behave, RegExp, pattern?: string]>([
    ['no such key', objects(404, 'NoSuchKey'), /urls\/0.txt answers 404 NoSuchKey/],
    ['no such bucket', all(404, 'NoSuchBucket'), /answers 404 NoSuchBucket: the endpoint has no such bucket/],
    ['no right', all(403, 'AccessDenied'), /answers 403 AccessDenied: the key .* allow s3:GetObject/],
    ['a wrong secret', all(403, 'SignatureDoesNotMatch'), /the secret key of the connection is wrong/],
    ['a token that ended', all(400, 'ExpiredToken'), /the session token has expired/],
    [
      'an archived object',
      objects(403, 'InvalidObjectState'),
      /urls\/0.txt answers 403 .*: it is archived; restore it/,
    ],
    [
      'another region',
      (_, response) => {
        response.setHeader('x-amz-bucket-region', 'ap-south-1');
        response.setHeader('Location', 'http://169.254.169.254/');
        sendError(response, 301, 'PermanentRedirect');
        return true;
      },
      /answers 301 PermanentRedirect: the bucket is in the region ap-south-1/,
    ],
    ['too many requests, for ever', all(503, 'SlowDown'), /answers 503 SlowDown/],
    ['a page of HTML', lists(() => ({ html: {} })), /answers no list/],
    [
      'an endless list of other keys',
      lists((n) => listOf([[`urls/${n}`, 'x']], String(n + 1))),
      /more than 100 pages/,
    ],
    ['a list without progress', lists(() => listOf([['urls/1.txt', 'x']], '1')), /lists a key twice/],
    [
      '10,001 objects',
      lists((n) => listOf(many(10_001).slice(n, n + 1000), n < 10_000 ? String(n + 1000) : undefined)),
      /means more than 10000 objects/,
    ],
    [
      'a key that leads elsewhere',
      lists(() => listOf([['urls/../secret/a.txt', 'x']])),
      /which no address can have/,
      'urls/.**',
    ],
    ['only keys of another prefix', lists(() => listOf([['private/a.txt', 'x']])), /means no object/],
    [
      'a page without end',
      (_, response, { query }) => {
        if (query === undefined) return false;
        response.writeHead(200, { 'Transfer-Encoding': 'chunked' });
        response.write('<ListBucketResult>');
        const more = () => {
          while (!response.destroyed && response.write('<a/>'.repeat(100_000)));
        };
        response.on('drain', more);
        more();
        return true;
      },
      /larger than 12582912 bytes/,
    ],
  ])('%s', async (_, behave, message, pattern = 'urls/*.txt') => {
    fill(1);
    const { load } = await newcomer();
    host.behave = behave;
    const ended = await load({ sources: [`s3://${BUCKET}/${pattern}`] });
    expect(ended).toMatchObject({ outcome: 'refused', message: expect.stringMatching(message) });
    expect(ended.message).not.toContain('says a secret');
  });

  test('an object of another version than the list has, from a store that does not know If-Match', async () => {
    fill(1);
    const { load } = await newcomer();
    host.behave = (request, response, { query }) => {
      if (query !== undefined) return false;
      expect(request.headers['if-match']).toBeDefined();
      response.writeHead(200, { ETag: '"another"', 'Content-Length': pages(1).length }).end(pages(1));
      return true;
    };
    expect(await load()).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('changed after the load had listed it'),
    });
  });

  test('an object that changes while its connection is broken', async () => {
    fill(1);
    const { load } = await newcomer();
    let asked = 0;
    host.behave = (request, response, { query }) => {
      if (query !== undefined) return false;
      asked += 1;
      if (asked > 1) return Boolean(response.writeHead(412, { 'Content-Length': 0 }).end());
      response.writeHead(200, { ETag: request.headers['if-match'], 'Content-Length': 1_000_000 });
      response.write(pages(1), () => setImmediate(() => response.destroy()));
      return true;
    };
    expect(await load()).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('changed after the load had listed it'),
    });
    expect(asked).toBe(2);
  });

  test('a connection that breaks goes on where it was, signed anew', async () => {
    const text = pages(...Array.from({ length: 5000 }, (_, i) => i));
    host.objects.set('urls/0.txt', text);
    const { load } = await newcomer();
    const ranges: unknown[] = [];
    host.behave = (request, response, { query }) => {
      if (query !== undefined) return false;
      ranges.push(request.headers.range);
      if (ranges.length > 1) return false;
      const etag = /"(\w+)"/.exec(request.headers['if-match']!)![0];
      response.writeHead(200, { ETag: etag, 'Content-Length': text.length });
      response.write(text.slice(0, 70_000), () => setImmediate(() => response.destroy()));
      return true;
    };
    expect(await load()).toMatchObject({ outcome: 'published', urlCount: 5000 });
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/)]);
  });

  test('a sitemap index leads nowhere, and one of the web leads into no bucket', async () => {
    host.objects.set('urls/0.txt', indexOf(`${PAGE}/a.xml`));
    const { load } = await newcomer();
    expect((await load()).message).toContain('is a sitemap index in a bucket');
    expect((await load({ sources: [`s3://${BUCKET}/urls/0.txt`] })).message).toContain(
      'is a sitemap index in a bucket',
    );
    host.objects.set('index.xml', indexOf(`s3://${BUCKET}/urls/0.txt`));
    const web = `${host.endpoint}/${BUCKET}/index.xml`;
    const ended = await load({ sources: [web, `s3://${BUCKET}/urls/0.txt`], allowHosts: [BUCKET] });
    expect(ended.message).toContain('which is no address of the web');
  });

  test('an endpoint in a private network is not asked', async () => {
    const { accountId, load } = await newcomer();
    for (const endpoint of ['https://169.254.169.254', 'http://10.0.0.1', 'https://localhost']) {
      const given = { endpoint, region: 'eu-west-1', buckets: [BUCKET], keys: KEYS };
      await connections.put(accountId, 'lake', given, nothing, nothing);
      // All of 127.0.0.0/8 is allowed here.
      if (endpoint !== 'https://localhost') {
        expect((await load()).message).toMatch(/has an address that is not public|is asked by https: only/);
      }
    }
  });
});

describe('connections', () => {
  test('a load names a connection of its account, for its buckets', async () => {
    const { load } = await newcomer();
    await expect(load({ connection: 'other' })).rejects.toThrow(
      'connection: is not the name of a connection',
    );
    await expect(load({ sources: ['s3://private/a'] })).rejects.toThrow(
      'connection: is not for the bucket private',
    );
  });

  test('keys that were lost, or a connection that is gone, end the load', async () => {
    fill(1);
    const { accountId, load } = await newcomer();
    await database.query(
      "UPDATE connections SET endpoint = 'https://attacker.example.com' WHERE account_id = $1",
      [accountId],
    );
    expect((await load()).message).toContain('can no longer be opened; set the connection again');
    expect(host.requests).toEqual([]);
  });

  test('no secret is in the database or in the log', async () => {
    fill(2);
    const { load } = await newcomer();
    await load();
    host.behave = (_, response) => {
      sendError(response, 403, 'SignatureDoesNotMatch');
      return true;
    };
    await load();
    const { rows: tables } = await database.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    for (const { name } of tables) {
      const { rows } = await database.query(
        `SELECT FROM ${name} t WHERE strpos(to_jsonb(t)::text, $1) > 0 OR strpos(to_jsonb(t)::text, $2) > 0`,
        [SECRET, KEYS.accessKeyId],
      );
      expect({ name, rows: rows.length }).toEqual({ name, rows: 0 });
    }
    expect(JSON.stringify(log)).not.toContain(SECRET);
  });
});
