import { hash } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../src/features/domains/domain.ts';
import { recordChanges } from '../../src/features/sites/change-site.ts';
import type { WriteSiteOptions } from '../../src/features/sites/due-site.ts';
import { readSite } from '../../src/features/sites/read-site.ts';
import { listingKey, siteKey } from '../../src/features/sites/site.ts';
import { lockSite } from '../../src/features/sites/site-store.ts';
import { MAX_LISTINGS_BYTES } from '../../src/features/sites/small-files.ts';
import { inTurn } from '../../src/features/sites/write-in-turn.ts';
import { writeSite } from '../../src/features/sites/write-site.ts';
import { writeSites } from '../../src/features/sites/write-sites.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { casesOf } from '../support/property-runs.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';
import { addManyFiles } from './add-many-files.ts';
import { readHosted } from './read-hosted.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database);
const options: WriteSiteOptions = {
  ...{ database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS },
};

beforeEach(async () => {
  await database.query('DELETE FROM site_changes');
});

/** Puts an upload into the database and the store. No site names it yet. */
const upload = (hostname: string, sitemapName: string | null, urls: number | readonly object[]) =>
  fixture.upload(
    account,
    {
      ...{ domain: hostname, sitemapName, sizeLimit: 'gsc-optimized', force: true },
      urls: typeof urls === 'number' ? plainEntries(urls) : urls,
    },
    { writeSite: async () => {} },
  );

const addDomains = (count: number) =>
  Promise.all(Array.from({ length: count }, () => addVerifiedDomain(database, account)));
const namesOf = (domains: readonly Domain[]) => domains.map(({ hostname }) => hostname);
const changes = async () =>
  (await database.query('SELECT hostname FROM site_changes ORDER BY hostname')).rows.map(
    ({ hostname }) => hostname,
  );
const values = (outcomes: Awaited<ReturnType<typeof writeSites>>) =>
  outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome.error));

/** A thousand of these are a file of some 14 KB. */
const hardEntries = (count: number, seed: string) =>
  Array.from({ length: count }, (_, n) => ({
    loc: `https://www.example.com/${hash('sha256', `${seed} ${n}`, 'base64url').slice(0, 11)}`,
  }));

test('a group of sites is written by some ten statements, with one put for each', async () => {
  const domains = await addDomains(20);
  await writeSites(options, namesOf(domains));
  await Promise.all(domains.map(({ hostname }, n) => upload(hostname, null, 1 + n)));
  const puts: string[] = [];
  const counting: WriteSiteOptions['storage'] = {
    ...methodsOf(storage),
    put: async (key) => void puts.push(key),
    putIfUnchanged: (key, parts, former) => {
      puts.push(key);
      return storage.putIfUnchanged(key, parts, former);
    },
  };
  let statements = 0;
  const client = await database.connect();
  const { query } = client;
  const pool = Object.create(database, {
    connect: {
      value: async () =>
        Object.create(client, {
          release: { value: () => {} },
          query: {
            value: (...given: unknown[]) => {
              statements++;
              return Reflect.apply(query, client, given);
            },
          },
        }),
    },
  });
  const outcomes = await writeSites({ ...options, database: pool, storage: counting }, namesOf(domains));
  client.release();
  expect(values(outcomes)).toEqual(domains.map(() => 'written'));
  expect(puts.sort()).toEqual(namesOf(domains).map(siteKey).sort());
  expect(statements).toBeLessThanOrEqual(10);
  expect(await changes()).toEqual([]);
});

test('a site is the same for hosting whether it is written alone, in a group or by a rebuild', async () => {
  // The number of URLs of each upload, in turn; sitemap names; some hard to compress.
  const step = fc.record({
    sitemap: fc.constantFrom(null, 'a', 'b', 'z'),
    urls: fc.constantFrom(0, 1, 5, 900, 1500, 3200),
    isHard: fc.boolean(),
    isWritten: fc.boolean(),
  });
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
  const history = fc.array(step, { minLength: 1, maxLength: 6 });
  const replacedBeforeItWasServed: Step[] = [
    { sitemap: 'a', urls: 3200, isHard: false, isWritten: true },
    { sitemap: 'a', urls: 1500, isHard: false, isWritten: false },
    { sitemap: 'a', urls: 0, isHard: false, isWritten: true },
  ];
  await fc.assert(
    fc.asyncProperty(history, async (uploads) => {
      const [alone, grouped, other] = await addDomains(3);
      const write = async () => {
        await writeSite(options, alone!.hostname);
        await writeSites(options, [other!.hostname, grouped!.hostname]);
      };
      for (const [n, { sitemap, urls, isHard, isWritten }] of uploads.entries()) {
        for (const { hostname } of [alone!, grouped!]) {
          const entries = isHard ? hardEntries(urls, `${n}`) : plainEntries(urls);
          await upload(hostname, sitemap, entries.length === 0 ? plainEntries(1) : entries);
        }
        if (isWritten) await write();
      }
      await write();
      const hosted = async ({ hostname }: Domain) =>
        new Map(
          Array.from(await readHosted(storage, hostname), ([path, file]) => [
            path,
            path.endsWith('index')
              ? file
                  .replaceAll(hostname, 'host')
                  // The clock of the database says when a domain loses files, and the two lose theirs one after the other.
                  .replace(path === 'index' ? /^\["[^"]+","[^"]+"/ : /^\["[^"]+"/, '')
              : file,
          ]),
        );
      const expected = await hosted(alone!);
      expect(await hosted(grouped!)).toEqual(expected);
      const json = JSON.stringify((await readSite(storage, grouped!.hostname))!.sitemaps);
      expect(json.length).toBeLessThan(MAX_LISTINGS_BYTES + 10_000);
      await writeSite(options, alone!.hostname, { trustsStore: false });
      const rebuilt = await hosted(alone!);
      const current = new Map(
        (await readSite(storage, alone!.hostname))!.sitemaps.map(({ name, files }) => [`${name}`, files]),
      );
      const isFormer = (path: string) => {
        const [name, n] = path.split('/');
        return Number(n) > current.get(name!)!;
      };
      const wereAllServed = uploads.every(({ isWritten }) => isWritten);
      // A rebuild does not know which former uploads were served, so it may name more of them, or later ones.
      for (const [path, file] of expected) {
        if (wereAllServed || !isFormer(path)) expect(rebuilt.get(path)).toBe(file);
        else expect(rebuilt.has(path)).toBe(true);
      }
    }),
    { numRuns: casesOf(12), examples: [[replacedBeforeItWasServed]] },
  );
});

describe('listings', () => {
  const isInSite = async (hostname: string) =>
    (await readSite(storage, hostname))!.sitemaps.map(({ name, listing }) => [name, listing !== undefined]);

  test('leave site.json when those before them grow, and come back', async () => {
    const { hostname } = (await addDomains(1))[0]!;
    const { uploadId } = await upload(hostname, 'b', hardEntries(3500, 'b'));
    await writeSite(options, hostname);
    expect(await isInSite(hostname)).toEqual([['b', true]]);
    const before = await readHosted(storage, hostname);
    expect(await storage.head(listingKey(uploadId))).toBeUndefined();

    await upload(hostname, 'a', hardEntries(3500, 'a'));
    await writeSite(options, hostname);
    expect(await isInSite(hostname)).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(await storage.head(listingKey(uploadId))).toBeDefined();
    const moved = await readHosted(storage, hostname);
    expect(moved.get('b/1')).toBe(before.get('b/1'));

    await upload(hostname, 'a', 1);
    await writeSite(options, hostname);
    expect(await isInSite(hostname)).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect((await readHosted(storage, hostname)).get('b/1')).toBe(before.get('b/1'));
  });

  test('of former uploads become objects, also by a rebuild when the site was never written', async () => {
    const { hostname } = (await addDomains(1))[0]!;
    const { uploadId } = await upload(hostname, null, 2500);
    await writeSite(options, hostname);
    const before = await readHosted(storage, hostname);
    expect(await storage.head(listingKey(uploadId))).toBeUndefined();
    await upload(hostname, null, 1);
    await writeSite(options, hostname);
    expect((await readHosted(storage, hostname)).get('/3')).toBe(before.get('/3'));
    await storage.deleteMany([listingKey(uploadId)]);
    await writeSite(options, hostname, { trustsStore: false });
    expect((await readHosted(storage, hostname)).get('/3')).toBe(before.get('/3'));
  });
});

test('a store that fails for one hostname fails no other, and that site is still requested', async () => {
  const domains = await addDomains(5);
  await Promise.all(domains.map(({ hostname }) => upload(hostname, null, 3)));
  const failing = domains[2]!.hostname;
  for (const method of ['get', 'putIfUnchanged'] as const) {
    const store: WriteSiteOptions['storage'] = {
      ...methodsOf(storage),
      [method]: async (key: string, ...rest: never[]) => {
        if (key === siteKey(failing)) throw new Error('no');
        return Reflect.apply(storage[method], storage, [key, ...rest]);
      },
    };
    const outcomes = values(await writeSites({ ...options, storage: store }, namesOf(domains)));
    expect(outcomes[2]).toEqual(new Error('no'));
    expect(outcomes.filter((outcome) => outcome instanceof Error)).toHaveLength(1);
    expect(await changes()).toEqual([failing]);
    expect(await readSite(storage, failing)).toBeUndefined();
  }
  expect(values(await writeSites(options, namesOf(domains)))[2]).toBe('written');
  expect(await changes()).toEqual([]);
});

test('sites that others write, and sites of many files, are left to be written alone', async () => {
  const [busy, many, small] = await addDomains(3);
  for (const { hostname } of [busy!, many!, small!]) {
    const { uploadId } = await upload(hostname, null, 2);
    if (hostname === many!.hostname) await addManyFiles(database, uploadId, 101);
  }
  const names = namesOf([busy!, many!, small!]);
  await inTransaction(database, async (transaction) => {
    await lockSite(transaction, busy!.hostname);
    expect(values(await writeSites(options, names))).toEqual(['alone', 'alone', 'written']);
  });
  expect(await changes()).toEqual([busy!.hostname, many!.hostname].sort());
  expect(await writeSite(options, many!.hostname)).toBe(true);
  expect((await readSite(storage, many!.hostname))!.sitemaps[0]!.files).toBe(101);
});

test('two processes write the same hostnames at once, and each ends at its newest generation', async () => {
  const domains = await addDomains(8);
  const writers = [0, 1].map(() =>
    inTurn(
      {
        together: (hostnames) => writeSites(options, hostnames),
        alone: (hostname) => writeSite(options, hostname),
      },
      3,
    ),
  );
  for (let round = 1; round <= 3; round++) {
    await Promise.all(
      domains.flatMap(({ hostname }, n) =>
        writers.map(async (write, process) => {
          const { uploadId } = await upload(hostname, `p${process}`, round + n);
          await write(hostname);
          const site = await readSite(storage, hostname);
          expect(site!.sitemaps.map((one) => one.uploadId)).toContain(uploadId);
        }),
      ),
    );
  }
  for (const { id, hostname } of domains) {
    const { rows } = await database.query('SELECT generation FROM domains WHERE id = $1', [id]);
    expect((await readSite(storage, hostname))!.generation).toBe(rows[0].generation);
    await readHosted(storage, hostname);
  }
  expect(await changes()).toEqual([]);
});

describe('the request of a change', () => {
  test('stays when it is newer than what the writer has read, and is not due at once', async () => {
    const [domain] = await addDomains(1);
    const { hostname } = domain!;
    await upload(hostname, null, 1);
    await database.query("UPDATE site_changes SET due_at = now(), changed_at = now() - interval '1 hour'");
    const store: WriteSiteOptions['storage'] = {
      ...methodsOf(storage),
      putIfUnchanged: async (key, parts, former) => {
        if (key === siteKey(hostname))
          await inTransaction(database, (transaction) => recordChanges(transaction, [domain!]));
        return storage.putIfUnchanged(key, parts, former);
      },
    };
    expect(await writeSite({ ...options, storage: store }, hostname)).toBe(true);
    const { rows } = await database.query(
      `SELECT due_at > now() + interval '5 seconds' AS "isLater", changed_at > now() - interval '1 minute' AS "isNew"
         FROM site_changes`,
    );
    expect(rows).toEqual([{ isLater: true, isNew: true }]);
    expect(await writeSite(options, hostname)).toBe(true);
    expect(await changes()).toEqual([]);
  });

  test('is not waited for while a publisher holds it', async () => {
    const [domain] = await addDomains(1);
    await upload(domain!.hostname, null, 1);
    await inTransaction(database, async (transaction) => {
      await recordChanges(transaction, [domain!]);
      expect(await writeSite(options, domain!.hostname)).toBe(true);
    });
    expect(await changes()).toEqual([domain!.hostname]);
    expect(await writeSite(options, domain!.hostname)).toBe(true);
    expect(await changes()).toEqual([]);
  });
});

function methodsOf({ put, putIfUnchanged, get, deleteMany }: WriteSiteOptions['storage']) {
  return {
    put: put.bind(storage),
    putIfUnchanged: putIfUnchanged.bind(storage),
    get: get.bind(storage),
    deleteMany: deleteMany.bind(storage),
  };
}
