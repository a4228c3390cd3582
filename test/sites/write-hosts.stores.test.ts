import pMap from 'p-map';
import { expect, test } from 'vitest';
import type { WriteSiteOptions } from '../../src/features/sites/due-site.ts';
import {
  HOST_SHARDS,
  hasHash,
  hostHash,
  hostsKey,
  shardOf,
} from '../../src/features/sites/host-directory.ts';
import { siteKey } from '../../src/features/sites/site.ts';
import { writeAllHosts } from '../../src/features/sites/write-hosts.ts';
import { writeSite } from '../../src/features/sites/write-site.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const { database, storage } = await createUploadFixture();
const account = await addAccount(database);
const options = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS };

async function isListed(hostname: string): Promise<boolean> {
  const hash = hostHash(hostname);
  const shard = await readObject(storage, hostsKey(shardOf(hash)));
  return shard !== undefined && hasHash(shard, hash);
}

test('a host is listed before its site.json is stored, and until after it is removed', async () => {
  const { id, hostname } = await addVerifiedDomain(database, account);
  const seen: [string, boolean][] = [];
  const watched: WriteSiteOptions['storage'] = {
    put: (key, bytes) => storage.put(key, bytes),
    get: (key, range) => storage.get(key, range),
    putIfUnchanged: async (key, bytes, former) => {
      if (key === siteKey(hostname)) seen.push(['put', await isListed(hostname)]);
      return storage.putIfUnchanged(key, bytes, former);
    },
    deleteMany: async (keys) => {
      await storage.deleteMany(keys);
      if (keys.includes(siteKey(hostname))) seen.push(['delete', await isListed(hostname)]);
    },
  };
  expect(await isListed(hostname)).toBe(false);
  await writeSite({ ...options, storage: watched }, hostname);
  await database.query('DELETE FROM domains WHERE id = $1', [id]);
  await writeSite({ ...options, storage: watched }, hostname);
  expect(seen).toEqual([
    ['put', true],
    ['delete', true],
  ]);
  expect(await isListed(hostname)).toBe(false);
});

test('sites that are written concurrently are all listed', async () => {
  const domains = await Promise.all(Array.from({ length: 100 }, () => addVerifiedDomain(database, account)));
  // No more than there are connections: a process writes its sites in turns.
  await pMap(domains, ({ hostname }) => writeSite(options, hostname), { concurrency: 8 });
  for (const { hostname } of domains) expect(await isListed(hostname)).toBe(true);
});

test('lost or damaged parts of the directory are written again, and no others', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const { hostname: pending } = await addDomain(database, account);
  const shard = shardOf(hostHash(hostname));
  await writeAllHosts(options);
  expect(await isListed(hostname)).toBe(true);
  expect(await isListed(pending)).toBe(false);
  expect(await writeAllHosts(options)).toBe(0);

  await storage.deleteMany([hostsKey(shard)]);
  await storage.put(hostsKey((shard + 1) % HOST_SHARDS), [Buffer.from('damaged.')]);
  expect(await writeAllHosts(options)).toBe(2);
  expect(await isListed(hostname)).toBe(true);
});

test('a write of all hosts makes every part exist, so that each host is known to be served or not', async () => {
  await writeAllHosts(options);
  for (let shard = 0; shard < HOST_SHARDS; shard++) {
    expect(await readObject(storage, hostsKey(shard))).toBeDefined();
  }
});
