/**
 * Object storage in a folder of the local file system, for all in one and for tests. An object is a file;
 * what is half written lives in `.incoming/` until it is synced and renamed into place.
 */
import { randomUUID } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { CoalescedCalls } from '../concurrency/coalesced-calls.ts';
import { hasCode } from '../error-code.ts';
import type { ByteRange, ObjectDescription, ObjectStorage, StoredObject, Version } from './object-storage.ts';

const INCOMING = '.incoming';

/** Opens (and creates where needed) the folder; what a crash left half written is removed. */
export async function openFolderStorage(folder: string): Promise<ObjectStorage> {
  const incoming = join(folder, INCOMING);
  await mkdir(folder, { recursive: true });
  await access(folder, constants.R_OK | constants.W_OK);
  await removeAbandoned(incoming);
  await mkdir(incoming, { recursive: true });
  return new FolderStorage(folder, incoming);
}

class FolderStorage implements ObjectStorage {
  readonly #folder: string;
  readonly #incoming: string;

  constructor(folder: string, incoming: string) {
    this.#folder = folder;
    this.#incoming = incoming;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const path = this.#pathOf(key);
    const incoming = join(this.#incoming, randomUUID());
    try {
      await writeFile(incoming, parts);
      await this.#intoFolder(path, () => rename(incoming, path));
    } catch (error) {
      await rm(incoming, { force: true });
      throw new Error(`could not store object ${key}`, { cause: error });
    }
  }

  async putNew(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const path = this.#pathOf(key);
    try {
      await this.#intoFolder(path, () => writeFile(path, parts));
    } catch (error) {
      throw new Error(`could not store object ${key}`, { cause: error });
    }
  }

  async putIfUnchanged(
    key: string,
    parts: readonly Uint8Array[],
    former: Version | undefined,
  ): Promise<boolean> {
    const stats = await stat(this.#pathOf(key), { bigint: true }).catch(() => this.#absence());
    const stored = stats && { version: versionOf(stats) };
    // A file system has no operation that looks and renames: the two are as close as can be.
    if (!isUnchanged(stored, former)) return false;
    await this.put(key, parts);
    return true;
  }

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    const file = await openIfThere(this.#pathOf(key));
    if (file === undefined) return this.#absence();
    try {
      const stats = await file.stat({ bigint: true });
      const size = Number(stats.size);
      const version = versionOf(stats);
      if (!stats.isFile()) {
        await file.close();
        return undefined;
      }
      const { offset, length } = range ?? { offset: 0, length: size };
      if (offset + length > size) throw new RangeError(`range passes the end of object ${key}`);
      if (length === 0) {
        await file.close();
        return { bytes: 0, objectBytes: size, body: Readable.from([]), version };
      }
      const body = file.createReadStream({
        start: offset,
        end: offset + length - 1,
        highWaterMark: 256 * 1024,
      });
      return { bytes: length, objectBytes: size, body, version };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async getIfChanged(key: string, version: string): Promise<StoredObject | 'unchanged' | undefined> {
    // What cannot be looked at, `get` cannot open, and it says why.
    const stats = await stat(this.#pathOf(key), { bigint: true }).catch(() => undefined);
    return stats && versionOf(stats) === version ? 'unchanged' : this.get(key);
  }

  async head(key: string): Promise<ObjectDescription | undefined> {
    return (await describe(this.#pathOf(key), key)) ?? this.#absence();
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    await this.#absence();
    for (const key of keys) {
      const path = this.#pathOf(key);
      await rm(path, { force: true });
      await this.#removeEmptyFolders(dirname(path));
    }
  }

  async *list(prefix: string): AsyncGenerator<ObjectDescription> {
    // The prefix may end in the middle of a name, so the walk starts at the folder that holds that name.
    const start = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    if (start !== '') this.#pathOf(start.slice(0, -1));
    await this.#absence();
    for await (const key of keysBelow(this.#folder, start)) {
      if (!key.startsWith(prefix)) continue;
      const description = await describe(this.#pathOf(key), key);
      if (description !== undefined) yield description;
    }
  }

  /** Does what gives a file its name, in a folder that may not be there yet, and makes the name durable. */
  async #intoFolder(path: string, place: () => Promise<void>): Promise<void> {
    const created: string[] = [];
    for (let attempt = 1; ; attempt++) {
      try {
        await place();
        break;
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt === PLACING_ATTEMPTS) throw error;
        // The folder of an object may be made, but not the whole store, as when its disk is not mounted.
        await this.#absence();
        const first = await mkdir(dirname(path), { recursive: true });
        if (first !== undefined) created.push(first);
      }
    }
    // Of several new folders each is a name in the one above.
    const highest = Math.min(...created.map((folder) => folder.length));
    for (let folder = dirname(path); folder.length >= highest; folder = dirname(folder)) {
      await syncFolder(dirname(folder));
    }
    await syncFolder(dirname(path));
  }

  /** Undefined, for what is not there; an error when the folder itself is gone, as when its disk is not mounted. */
  async #absence(): Promise<undefined> {
    await access(this.#incoming);
    return undefined;
  }

  /** Keys with slashes are names to an object store: it has no folders that could be left behind. */
  async #removeEmptyFolders(path: string): Promise<void> {
    for (let folder = path; folder.length > this.#folder.length; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        // Not empty, or gone already: then the ones above it are not ours to remove either.
        return;
      }
    }
  }

  /** Keys come from our own code, yet parts of them (hostnames, names) began outside: none may climb out. */
  #pathOf(key: string): string {
    if (!/^[^/\0]+(\/[^/\0]+)*$/.test(key) || key.split('/').some((name) => name.startsWith('.'))) {
      throw new Error(`not an object key: ${JSON.stringify(key)}`);
    }
    return join(this.#folder, key);
  }
}

/** Writes a file that is not there yet; its bytes are on disk when the promise resolves, its name may not be. */
async function writeFile(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx');
  try {
    const expected = parts.reduce((sum, part) => sum + part.byteLength, 0);
    // IOV_MAX is 1,024 on Linux; libuv writes the rest in further calls, but a short write ends it early.
    const { bytesWritten } = await file.writev([...parts]);
    if (bytesWritten !== expected) throw new Error(`wrote ${bytesWritten} of ${expected} bytes`);
    await file.datasync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Between making a folder and using it, another process may remove it for being empty. */
const PLACING_ATTEMPTS = 5;

/** A sync that is under way may have begun before our name was there; the next one has not, and serves all who wait. */
const syncs = new CoalescedCalls<void>();

/** A name survives a crash only once the folder that holds it is synced. */
function syncFolder(path: string): Promise<void> {
  return syncs.run(path, (begin) => {
    begin();
    return syncNow(path);
  });
}

async function syncNow(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A file is never changed, only replaced by another one. Time alone would be too coarse, and numbers are used again. */
function versionOf({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}-${size}-${ino}`;
}

async function openIfThere(path: string): Promise<Awaited<ReturnType<typeof open>> | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function describe(path: string, key: string): Promise<ObjectDescription | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { key, bytes: stats.size, modifiedAt: stats.mtime } : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function* keysBelow(folder: string, start: string): AsyncGenerator<string> {
  let entries: Awaited<ReturnType<typeof opendir>>;
  try {
    entries = await opendir(join(folder, start), { recursive: false });
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return;
    throw error;
  }
  for await (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    const key = start.replaceAll(sep, '/') + entry.name;
    if (entry.isDirectory()) yield* keysBelow(folder, `${key}/`);
    else yield key;
  }
}

async function removeAbandoned(incoming: string): Promise<void> {
  // Other processes may share the folder, so only what is too old to be under way is abandoned.
  const oldest = Date.now() - 24 * 60 * 60 * 1000;
  for await (const name of keysBelow(incoming, '')) {
    const description = await describe(join(incoming, name), name);
    if (description && description.modifiedAt.getTime() < oldest)
      await rm(join(incoming, name), { force: true });
  }
}

function isUnchanged(stored: Version | undefined, former: Version | undefined): boolean {
  if (stored === undefined || former === undefined) return stored === former;
  return former.version === undefined || former.version === stored.version;
}
