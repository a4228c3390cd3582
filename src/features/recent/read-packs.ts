/** Reads the changes of generations since the last version of the recent files. */
import type { Database } from '../../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { readEntryPack } from '../entries/entry-pack.ts';
import { packKey } from '../sites/site.ts';
import type { ChangedGeneration } from './merge-changes.ts';
import { type ChangedRow, listChanged } from './recent-store.ts';

/**
 * One version of the recent files takes this many rows of `changed_entries` at most, with packs of this many bytes at most, but at least one
 * row. The next version takes the others.
 */
const AT_ONCE = { limit: 2000, maxBytes: 32 * 1024 * 1024 };

export interface ChangedSince {
  /** The newest comes first. */
  readonly generations: readonly ChangedGeneration[];
  /** The ids of their rows in `changed_entries`. */
  readonly ids: readonly number[];
}

/** `now`: a change after this second came while the clock of the database was ahead. It counts as of now. */
export async function readChanged(
  { database, storage }: { readonly database: Database; readonly storage: Pick<ObjectStorage, 'get'> },
  domainId: string,
  now: number,
): Promise<ChangedSince> {
  const rows = await listChanged(database, domainId, AT_ONCE);
  const generations: ChangedGeneration[] = [];
  for (const row of rows) {
    generations.push(await generationOf(storage, domainId, { ...row, at: Math.min(row.at, now) }));
  }
  return { generations, ids: rows.map(({ id }) => id) };
}

/** Reads the pack of a generation. A pack that is missing, damaged or of another XML version counts as left out. */
async function generationOf(
  storage: Pick<ObjectStorage, 'get'>,
  domainId: string,
  { sitemapName, seq, at, leftOut, content, name }: ChangedRow,
): Promise<ChangedGeneration> {
  const generation = { sitemapName, seq, at };
  if (leftOut !== null) return { ...generation, leftOut };
  const bytes = content ?? (await readObject(storage, packKey(domainId, name!)));
  const pack = bytes && readEntryPack(bytes as Buffer<ArrayBuffer>);
  if (pack === undefined) return { ...generation, leftOut: 'unknown' };
  return pack.isOurXml ? { ...generation, pack } : { ...generation, leftOut: 'xml-version' };
}
