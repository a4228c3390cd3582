/**
 * Records the changes of a delta in the transaction that publishes the delta (docs/decisions/0058). Records what a comparison records:
 * counts, samples, the list, the changes for the sink, and the entries for the sitemap of recent changes. So a delta is compared only if
 * the upload below it is gone (`comparedNext` in `due-comparison-store.ts`).
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Database, pipelined, type Transaction } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import {
  type ChangedEntries,
  hasRecentSitemap,
  recordChangedEntries,
  storePack,
} from '../entries/changed-entries.ts';
import { EntryPacker } from '../entries/entry-pack.ts';
import { locOfEntry } from '../entries/fragment-of.ts';
import { indexAfterDelta } from '../sites/url-indexes.ts';
import {
  CHANGE_KINDS,
  type ChangeSamples,
  type Comparison,
  changeLines,
  type OnCounted,
  type OpenChangeSink,
} from './comparison.ts';
import { findOrigins, insertComparison } from './comparison-store.ts';
import { addOrigins, changeOrigins, keptOrigins, replaceOrigins, topOrigins } from './origins.ts';
import type { Origins } from './thread-messages.ts';

interface RecordDeltaOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'put'>;
  readonly openSink: OpenChangeSink;
  readonly onCounted: OnCounted;
}

/** A delta, the generation before it, and the URLs that the delta changed. Each URL is listed once. */
interface ChangedByDelta extends Comparison {
  readonly changes: ChangeSamples;
  /** The XML of the entries that were added or changed, from `<url>` to the line feed after `</url>`. */
  readonly entries: () => Iterable<Buffer>;
}

interface DeltaRecord {
  /** Runs in the transaction that publishes the delta, after its rows are inserted. */
  commit(transaction: Transaction): Promise<void>;
  /** Deletes the objects that were stored for the sink. Does nothing after `commit`. */
  discard(): Promise<void>;
}

const MAX_SAMPLES = 100;
/** A sink takes some 1,000 URLs at most in one call. */
const MOST_AT_ONCE = 1000;
const compress = promisify(gzip);

/** Stores the changes for the sink and the pack of entries, before the transaction begins. */
export async function openDeltaRecord(
  { database, storage, openSink, onCounted }: RecordDeltaOptions,
  delta: ChangedByDelta,
): Promise<DeltaRecord> {
  const { changes, domainId, formerUploadId } = delta;
  const [sink, hasRecent, recorded] = await Promise.all([
    openSink(delta),
    hasRecentSitemap(database, domainId),
    findOrigins(database, formerUploadId),
  ]);
  let packed: ChangedEntries | undefined;
  let lines = '';
  try {
    for (const kind of CHANGE_KINDS) {
      for (let i = 0; i < changes[kind].length; i += MOST_AT_ONCE) {
        const locs = changes[kind].slice(i, i + MOST_AT_ONCE);
        lines += changeLines(kind, locs);
        await sink?.add(kind, locs);
      }
    }
    await sink?.settle();
    if (hasRecent) packed = await packChanges({ database, storage }, delta);
  } catch (error) {
    await sink?.discard();
    throw error;
  }
  const { added, changed, removed } = changes;
  const list = await compress(lines);
  const sampleOf = (locs: readonly string[]) => locs.slice(0, MAX_SAMPLES);
  const ended = {
    state: 'compared' as const,
    counts: { added: added.length, changed: changed.length, removed: removed.length },
    samples: { added: sampleOf(added), changed: sampleOf(changed), removed: sampleOf(removed) },
    parts: 0,
  };
  return {
    async commit(transaction) {
      // The comparison of the upload below may have ended meanwhile. It locks the domain before its end, so it cannot end during this
      // transaction.
      const { origins: former, added: before = {} } =
        recorded.origins === undefined ? await findOrigins(transaction, formerUploadId) : recorded;
      const change = { former: originsOf(removed), live: originsOf(added) };
      const origins = former && replaceOrigins(former, change);
      const kept = origins && keptOrigins(origins);
      const since = former === undefined ? keptOrigins(changeOrigins(before, change)) : undefined;
      await pipelined([
        insertComparison(transaction, delta, ended, { origins: kept, added: since, list, seconds: 0 }),
        indexAfterDelta(transaction, delta),
      ]);
      // Page hosts depend only on which origins there are, and not on the numbers of their URLs.
      if (origins !== undefined && hasOtherOrigins(former!, origins)) {
        await onCounted(transaction, { ...delta, origins: topOrigins(origins) });
      }
      if (packed !== undefined) await recordChangedEntries(transaction, delta, packed);
      await sink?.commit(transaction);
    },
    discard: async () => sink?.discard(),
  };
}

/** Packs the changes for the sitemap of recent changes. Pauses now and then, so that other requests go on. */
async function packChanges(
  stores: Pick<RecordDeltaOptions, 'database' | 'storage'>,
  { domainId, sitemapName, entries, changes: { removed } }: ChangedByDelta,
): Promise<ChangedEntries> {
  const packer = new EntryPacker(sitemapName);
  let packed = 0;
  for (const xml of entries()) {
    packer.add(locOfEntry(xml), xml);
    if (++packed % MOST_AT_ONCE === 0) await setImmediate();
  }
  for (const loc of removed) packer.remove(loc);
  const pack = packer.end();
  return pack === undefined ? { leftOut: 'limit' } : storePack(stores, domainId, pack);
}

const originsOf = (locs: readonly string[]): Origins => addOrigins({}, new Map(locs.map((loc) => [loc, 1])));

function hasOtherOrigins(former: Origins, now: Origins): boolean {
  const names = Object.keys(now);
  return names.length !== Object.keys(former).length || names.some((origin) => !(origin in former));
}
