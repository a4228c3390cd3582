/**
 * Keeps the static files of the dashboard in the object storage, for all builds that run now or ran within a week. A tab of a browser goes
 * on with the build that it began with. While one build replaces another behind a balancer, processes of both builds answer. So each
 * process serves the files of all builds.
 *
 * ```
 * dashboard/assets/<name>      a file; its name has a hash of its content
 * dashboard/builds/<digest>    the names of the files of a build, a line each; a rewrite of this object shows that the build runs
 * ```
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../platform/log.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import {
  type ObjectDescription,
  type ObjectStorage,
  readObject,
} from '../../platform/storage/object-storage.ts';
import { type Asset, type Assets, assetOf } from './assets.ts';

const ASSETS_PREFIX = 'dashboard/assets/';
const BUILDS_PREFIX = 'dashboard/builds/';
const KEPT_MS = 7 * 24 * 3_600_000;
/** Requests for unknown names list the object storage at most once in this time. */
const LIST_EVERY_MS = 2000;
const CACHE_BYTES = 8 * 2 ** 20;
const PUTS_AT_ONCE = 8;

type Storage = Pick<ObjectStorage, 'get' | 'put' | 'list' | 'deleteMany'>;

export type KeptAssets = ReturnType<typeof createKeptAssets>;

/** Keeps `own` and finds the files of other builds. If the storage fails, pages still work while all processes have one build. */
export function createKeptAssets(storage: Storage, own: Assets, log: Log) {
  let names: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  let listedAt = Number.NEGATIVE_INFINITY;
  const cache = new LRUCache<string, Asset>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ body }) => body.length + 1,
  });
  const listed = () => {
    if (steadyNow() - listedAt < LIST_EVERY_MS) return names;
    listedAt = steadyNow();
    names = listNames(storage);
    return names;
  };
  return {
    /** Finds a file. Returns undefined if no build has it. */
    async find(name: string): Promise<Asset | undefined> {
      const known = cache.get(name);
      if (known !== undefined || !(await listed()).has(name)) return known;
      const body = await readObject(storage, ASSETS_PREFIX + name);
      const asset = body && assetOf(name, body);
      if (asset !== undefined) cache.set(name, asset);
      return asset;
    },
    /** Stores the missing files of this build, records that the build still runs, and deletes old builds. Only logs a failure. */
    async renew(): Promise<void> {
      try {
        await keep(storage, own);
      } catch (err) {
        log.warn({ err }, 'the files of the dashboard could not be kept');
      }
    },
  };
}

async function keep(storage: Storage, { files }: Assets): Promise<void> {
  const there = await listNames(storage);
  const missing = [...files].filter(([name]) => !there.has(name));
  for (let at = 0; at < missing.length; at += PUTS_AT_ONCE) {
    const portion = missing.slice(at, at + PUTS_AT_ONCE);
    await Promise.all(portion.map(([name, { body }]) => storage.put(ASSETS_PREFIX + name, [body])));
  }
  const list = [...files.keys()].sort().join('\n');
  const key = BUILDS_PREFIX + hash('sha256', list).slice(0, 16);
  await storage.put(key, [Buffer.from(list)]);
  await deleteOld(storage, key);
}

/** Deletes old builds. Ages are measured by the store's clock alone: `own`, written just now, gives the current time. */
async function deleteOld(storage: Storage, own: string): Promise<void> {
  const builds = await listAll(storage, BUILDS_PREFIX);
  const now = builds.find(({ key }) => key === own)?.modifiedAt.getTime();
  if (now === undefined) return;
  const isOld = ({ modifiedAt }: ObjectDescription) => now - modifiedAt.getTime() > KEPT_MS;
  const old = builds.filter(isOld);
  if (old.length === 0) return;
  const kept = await Promise.all(
    builds.filter((build) => !isOld(build)).map(({ key }) => readObject(storage, key)),
  );
  // If a list was deleted meanwhile, or is damaged, delete nothing now.
  if (kept.includes(undefined)) return;
  const needed = new Set(kept.flatMap((list) => String(list).split('\n')));
  const files = await listAll(storage, ASSETS_PREFIX);
  // A build that starts now may have stored its files, and not yet its list, so new files stay.
  const unneeded = files.filter((file) => isOld(file) && !needed.has(file.key.slice(ASSETS_PREFIX.length)));
  await storage.deleteMany([...unneeded, ...old].map(({ key }) => key));
}

async function listNames(storage: Storage): Promise<ReadonlySet<string>> {
  const files = await listAll(storage, ASSETS_PREFIX);
  return new Set(files.map(({ key }) => key.slice(ASSETS_PREFIX.length)));
}

/** Lists all objects below a prefix. A build has only some dozens. */
async function listAll(storage: Storage, prefix: string): Promise<ObjectDescription[]> {
  const all: ObjectDescription[] = [];
  for await (const object of storage.list(prefix)) all.push(object);
  return all;
}
