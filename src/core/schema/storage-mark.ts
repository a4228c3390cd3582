/**
 * Makes sure that the object storage is that of the database: one object has the mark of the database. So Waypost neither writes to a
 * folder whose disk is not mounted, nor to the bucket of another database, nor deletes anything there (docs/decisions/0112).
 */
import { hasCode } from '../../platform/error-code.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { ConfigError } from '../../platform/process/config-error.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';

/** The key of the object that has the mark. */
export const MARK_KEY = 'storage-mark';
/** The prefixes that a store of an older version has. */
const OUR_PREFIXES = ['hosts/', 'sites/', 'uploads/'];

/**
 * Resolves if the store is that of the database. Marks the store of a new database first. `make`: makes the missing folders of a store that
 * is a folder. Throws ConfigError for any other store, and other errors if the database or the store cannot be reached.
 */
export async function checkStorageMark(
  queryable: Queryable,
  storage: ObjectStorage,
  make: () => Promise<void>,
): Promise<void> {
  const { mark, isStored, isUsed } = await readMark(queryable);
  if (!isUsed) await make();
  let found = await readStored(storage);
  if (found === undefined) {
    // The store of an older version has no mark, but it has objects.
    if (isStored || (isUsed && (await isEmpty(storage)))) throw notThere();
    await storage.putIfUnchanged(MARK_KEY, [Buffer.from(mark)], undefined);
    // Another process may have been first.
    found = await readStored(storage);
  }
  if (found !== mark) throw ofAnother();
  // A copy of the store's folder may lack the empty folders in it.
  await make();
  if (!isStored) await recordStored(queryable);
}

/** Makes the store that of the database, whatever mark it has. The caller has made its folder. */
export async function adoptStorage(queryable: Queryable, storage: ObjectStorage): Promise<void> {
  const { mark } = await readMark(queryable);
  await storage.put(MARK_KEY, [Buffer.from(mark)]);
  await recordStored(queryable);
}

interface Mark {
  readonly mark: string;
  /** Whether the store had the mark once. */
  readonly isStored: boolean;
  /** Whether the store must have objects. */
  readonly isUsed: boolean;
}

async function readMark(queryable: Queryable): Promise<Mark> {
  const { rows } = await queryable.query<Mark>(
    `SELECT mark::text, is_stored AS "isStored", is_stored OR EXISTS (SELECT FROM sitemaps) AS "isUsed" FROM storage_mark`,
  );
  return rows[0]!;
}

async function recordStored(queryable: Queryable): Promise<void> {
  await queryable.query('UPDATE storage_mark SET is_stored = true');
}

async function readStored(storage: ObjectStorage): Promise<string | undefined> {
  const found = await unlessMissing(() => readObject(storage, MARK_KEY));
  return found?.toString().trim();
}

/**
 * Whether the store has none of our objects. Other files may stand beside them: a disk has lost+found, which we may not read, and the place of
 * a disk that is not mounted may have a note.
 */
async function isEmpty(storage: ObjectStorage): Promise<boolean> {
  const hasObject = await unlessMissing(async () => {
    for (const prefix of OUR_PREFIXES) for await (const _first of storage.list(prefix)) return true;
    return false;
  });
  return !hasObject;
}

/** Returns undefined if the folder of the store is missing. */
async function unlessMissing<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const ADOPT =
  'If it is to be the object storage of this database from now on, run npm run cli -- storage adopt.';

function notThere(): ConfigError {
  return new ConfigError(
    `The object storage has nothing of this database: it has no object ${MARK_KEY}. Mount its disk, or correct the settings of the object storage. ${ADOPT}`,
  );
}

function ofAnother(): ConfigError {
  return new ConfigError(
    `The object storage is that of another database: its object ${MARK_KEY} has another mark. Correct the settings of the object storage, or DATABASE_URL. ${ADOPT}`,
  );
}
