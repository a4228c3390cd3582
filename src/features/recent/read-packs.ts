/** Reads the changes of generations since the last version of the recent files. */
import type { Database } from '../../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { readEntryPack } from '../entries/entry-pack.ts';
import { KEY_BYTES } from '../entries/key-list.ts';
import { packKey } from '../sites/site.ts';
import type { ChangedGeneration } from './merge-changes.ts';
import { type ChangedRow, listChanged } from './recent-store.ts';

/**
 * One version of the recent files takes this many rows of `changed_entries` at most, with packs of this many bytes at most, but at least
 * one row. The next version takes the other rows.
 */
const AT_ONCE = { limit: 2000, maxBytes: 32 * 1024 * 1024 };
/** The most changed URLs of a version, unless its first pack has more. A URL takes some 60 bytes, and only 8 of them in its pack. */
const MAX_URLS_AT_ONCE = 1_000_000;

export interface ChangedSince {
  /** The newest comes first. */
  readonly generations: readonly ChangedGeneration[];
  /** The ids of their rows in `changed_entries`. */
  readonly ids: readonly number[];
}

/** `now`: a change after this second came while the clock of the database was ahead. It counts as of now. `maxUrls` is for tests. */
export async function readChanged(
  { database, storage }: { readonly database: Database; readonly storage: Pick<ObjectStorage, 'get'> },
  domainId: string,
  now: number,
  maxUrls = MAX_URLS_AT_ONCE,
): Promise<ChangedSince> {
  const rows = await listChanged(database, domainId, AT_ONCE);
  const generations: ChangedGeneration[] = [];
  let urls = 0;
  for (const row of rows.toReversed()) {
    const generation = await generationOf(storage, domainId, { ...row, at: Math.min(row.at, now) });
    urls += urlsOf(generation);
    if (urls > maxUrls && generations.length > 0) break;
    generations.push(generation);
  }
  const taken = rows.slice(rows.length - generations.length);
  return { generations: generations.reverse(), ids: taken.map(({ id }) => id) };
}

function urlsOf(generation: ChangedGeneration): number {
  if ('leftOut' in generation) return 0;
  return (generation.pack.keys.length + generation.pack.removedKeys.length) / KEY_BYTES;
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
