/**
 * Records the changes of a delta in the transaction that publishes it, as a comparison does (docs/decisions/0058): counts, samples, the
 * list, the changes for the sink, and the entries for the sitemap of recent changes. So a delta is compared only if the upload below it is
 * gone (`comparedNext` in `due-comparison-store.ts`).
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
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
import { changeLines } from './change-parts.ts';
import {
  CHANGE_KINDS,
  type ChangeSamples,
  type Comparison,
  type OnCounted,
  type OpenChangeSink,
} from './comparison.ts';
import { findOrigins, insertComparison } from './comparison-store.ts';
import { addOrigins, keptOrigins, replaceOrigins, topOrigins } from './origins.ts';
import type { Origins } from './thread-messages.ts';

export interface RecordDeltaOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'put'>;
  readonly openSink: OpenChangeSink;
  readonly onCounted: OnCounted;
}

/** A delta, the generation before it, and the URLs that it changed, each once. */
export interface ChangedByDelta extends Comparison {
  readonly changes: ChangeSamples;
  /** The XML of the entries that were added or changed, from `<url>` to the line feed after `</url>`. */
  readonly entries: () => Iterable<Buffer>;
}

export interface DeltaRecord {
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
  const { changes, domainId, formerUploadId, uploadId } = delta;
  const [sink, hasRecent] = await Promise.all([openSink(delta), hasRecentSitemap(database, domainId)]);
  let changed: ChangedEntries | undefined;
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
    if (hasRecent) changed = await packChanges({ database, storage }, delta);
  } catch (error) {
    await sink?.discard();
    throw error;
  }
  const list = await compress(lines);
  const former = await findOrigins(database, formerUploadId);
  const origins =
    former && replaceOrigins(former, { former: originsOf(changes.removed), live: originsOf(changes.added) });
  const counted = (kind: (typeof CHANGE_KINDS)[number]) => changes[kind].length;
  const sampled = (kind: (typeof CHANGE_KINDS)[number]) => changes[kind].slice(0, MAX_SAMPLES);
  const ended = {
    state: 'compared' as const,
    counts: { added: counted('added'), changed: counted('changed'), removed: counted('removed') },
    samples: { added: sampled('added'), changed: sampled('changed'), removed: sampled('removed') },
    parts: 0,
  };
  return {
    async commit(transaction) {
      const kept = origins && keptOrigins(origins);
      await insertComparison(transaction, { uploadId, formerUploadId }, ended, {
        origins: kept,
        list,
        seconds: 0,
      });
      await indexAfterDelta(transaction, { uploadId, formerUploadId });
      // Page hosts need to know of new and vanished origins, and not of other counts.
      if (origins !== undefined && hasOtherOrigins(former!, origins)) {
        await onCounted(transaction, { ...delta, origins: topOrigins(origins) });
      }
      if (changed !== undefined) await recordChangedEntries(transaction, delta, changed);
      await sink?.commit(transaction);
    },
    discard: async () => sink?.discard(),
  };
}

/** Packs the changes for the sitemap of recent changes. Other requests go on in between. */
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

function originsOf(locs: readonly string[]): Origins {
  const counts = new Map<string, number>();
  for (const loc of locs) {
    const origin = URL.parse(loc)?.origin ?? loc;
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return addOrigins({}, counts);
}

function hasOtherOrigins(former: Origins, now: Origins): boolean {
  const names = Object.keys(now);
  return names.length !== Object.keys(former).length || names.some((origin) => !(origin in former));
}
