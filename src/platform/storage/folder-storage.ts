/**
 * Object storage in a local folder, for the all-in-one program and for tests. An object is a file. `put` writes
 * it in `.incoming/`, syncs it and renames it into place; `putNew` writes it in place.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fdatasync, fsync, open, writev } from 'node:fs';
import { access, mkdir, opendir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { CoalescedCalls } from '../concurrency/coalesced-calls.ts';
import { hasCode } from '../error-code.ts';
import { moveNew } from '../move-new.ts';
import type { ByteRange, ObjectDescription, ObjectStorage, StoredObject, Version } from './object-storage.ts';
import { openFile, versionOf } from './open-file.ts';

const INCOMING = '.incoming';

/** Opens the folder, and creates it if needed. Removes unfinished files that a crash left at least a day ago. */
export async function openFolderStorage(folder: string): Promise<ObjectStorage> {
  const incoming = join(folder, INCOMING);
  await mkdir(folder, { recursive: true });
  await access(folder, constants.R_OK | constants.W_OK);
  await removeAbandoned(incoming);
  await mkdir(incoming, { recursive: true });
  return new FolderStorage(folder, incoming);
}

/**
 * Opens a folder that others create. While it is not theirs, every operation fails: a folder whose disk is not mounted is empty, and none
 * of its objects are missing. Throws if the folder is there and cannot be used.
 */
export async function awaitFolderStorage(folder: string): Promise<ObjectStorage> {
  const incoming = join(folder, INCOMING);
  try {
    // The slash at the end excludes a file.
    await access(`${folder}/`, constants.R_OK | constants.W_OK);
    await removeAbandoned(incoming);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  return new FolderStorage(folder, incoming);
}

class FolderStorage implements ObjectStorage {
  readonly #folder: string;
  readonly #incoming: string;

  constructor(folder: string, incoming: string) {
    this.#folder = folder;
    this.#incoming = incoming;
  }

  put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#putBy(rename, key, parts);
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
    if (!isUnchanged(stored, former)) return false;
    try {
      // A file system cannot compare and rename in one step. So if another put comes in between, this put overwrites a former object.
      await this.#putBy(former === undefined ? moveNew : rename, key, parts);
      return true;
    } catch (error) {
      if (former === undefined && hasCode((error as Error).cause, 'EEXIST')) return false;
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    return (await openFile(this.#pathOf(key), key, range)) ?? this.#absence();
  }

  async getIfChanged(key: string, version: string): Promise<StoredObject | 'unchanged' | undefined> {
    // If stat fails, `get` fails too and says why.
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

  async #putBy(
    move: (from: string, to: string) => Promise<void>,
    key: string,
    parts: readonly Uint8Array[],
  ): Promise<void> {
    const path = this.#pathOf(key);
    const incoming = join(this.#incoming, randomUUID());
    try {
      await writeFile(incoming, parts);
      await this.#intoFolder(path, () => move(incoming, path));
    } catch (error) {
      await rm(incoming, { force: true });
      throw new Error(`could not store object ${key}`, { cause: error });
    }
  }

  /** Runs `place`, which gives a file its name. Creates the file's folder if needed, and makes the name durable. */
  async #intoFolder(path: string, place: () => Promise<void>): Promise<void> {
    const created: string[] = [];
    for (let attempt = 1; ; attempt++) {
      try {
        await place();
        break;
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt === PLACING_ATTEMPTS) throw error;
        // We create the folder of an object, but not that of the whole store: its disk may not be mounted.
        await this.#absence();
        const first = await mkdir(dirname(path), { recursive: true });
        if (first !== undefined) created.push(first);
      }
    }
    // Each new folder is a name in its parent folder, so the parent needs a sync too.
    const highest = Math.min(...created.map((folder) => folder.length));
    for (let folder = dirname(path); folder.length >= highest; folder = dirname(folder)) {
      await syncFolder(dirname(folder));
    }
    await syncFolder(dirname(path));
  }

  /** The answer for a missing object. Throws if the store's folder is missing, for example because its disk is not mounted. */
  async #absence(): Promise<undefined> {
    await access(this.#incoming);
    return undefined;
  }

  /** Removes empty folders: an object store has keys with slashes and no folders, so a deleted key must leave no folder behind. */
  async #removeEmptyFolders(path: string): Promise<void> {
    for (let folder = path; folder.length > this.#folder.length; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        // The folder is not empty or already gone. Either way, we leave the folders above it alone.
        return;
      }
    }
  }

  /** Our own code makes the keys, but a key may contain a hostname or a name from outside. Such a key must not lead out of the folder. */
  #pathOf(key: string): string {
    if (!/^[^/\0]+(\/[^/\0]+)*$/.test(key) || key.split('/').some((name) => name.startsWith('.'))) {
      throw new Error(`not an object key: ${JSON.stringify(key)}`);
    }
    return join(this.#folder, key);
  }
}

/**
 * We use file descriptors, because the close of a FileHandle costs as much as a read (`open-file.ts`). All bytes are synced before the
 * close, so closing waits for no disk.
 */
const openNumbered = promisify(open);
const writeInto = promisify(writev);
const syncData = promisify(fdatasync);
const sync = promisify(fsync);

/** Creates a file. When the promise resolves, its bytes are on disk, but its name may not be. */
async function writeFile(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const file = await openNumbered(path, 'wx');
  try {
    const expected = parts.reduce((sum, part) => sum + part.byteLength, 0);
    // IOV_MAX is 1,024 on Linux. libuv writes the rest in further calls, but stops early after a short write.
    const { bytesWritten } = await writeInto(file, parts);
    if (bytesWritten !== expected) throw new Error(`wrote ${bytesWritten} of ${expected} bytes`);
    await syncData(file);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The tries to place a file: another process may remove a new folder as empty before we use it. */
const PLACING_ATTEMPTS = 5;

/** A sync under way may have begun before our name was there. So callers wait for the next sync, and share it. */
const syncs = new CoalescedCalls<void>();

/** Syncs a folder. Names in the folder survive a crash only after that. */
function syncFolder(path: string): Promise<void> {
  return syncs.run(path, (begin) => {
    begin();
    return syncNow(path);
  });
}

async function syncNow(path: string): Promise<void> {
  const folder = await openNumbered(path, 'r');
  try {
    await sync(folder);
  } finally {
    closeSync(folder);
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
  // Other processes may share the folder, so only a file too old to be under way counts as abandoned.
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
