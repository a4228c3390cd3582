/** Reads the last version of the recent files. The next version is made from it. If the last version is lost, the next one starts empty. */
import { contentDigest } from '../../platform/content-digest.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import type { LeftOutReason } from '../entries/changed-entries.ts';
import { DamagedFile } from '../entries/entry-kernel.ts';
import { feedKey, recentStateKey, uploadFileKey } from '../sites/site.ts';
import type { Cut } from './merge-changes.ts';
import { type PlacedFragment, type RecentState, readRecentState } from './recent-state.ts';
import type { HeldVersion, LiveGeneration } from './recent-store.ts';
import { holdBack } from './records.ts';
import type { ReadFragment } from './stitch-fragments.ts';

interface Reading {
  readonly storage: Pick<ObjectStorage, 'get' | 'head'>;
}

/** The state and the cuts from which the next version starts. */
export interface Start {
  readonly state: RecentState | undefined;
  /**
   * The cuts of the last version. A cut says up to which generation the changes of a sitemap are missing (`merge-changes.ts`). If the last
   * version cannot be read, each sitemap has an additional cut.
   */
  readonly cuts: readonly Cut[];
  /** Whether the last version had times that are still to come, because the clock was ahead. `state` and `cuts` have `now` instead. */
  readonly wasAhead: boolean;
}

/**
 * Reads the last version. Changes that were made while the clock was ahead count as of now, because with their own times they stay in the
 * files for too long.
 */
export async function readState(
  reading: Reading,
  held: HeldVersion,
  sitemaps: LiveGenerations,
): Promise<Start> {
  const { state, cuts } = await readStart(reading, held, sitemaps);
  const { now } = held;
  const mended = cuts.map((cut) => ({ ...cut, at: Math.min(cut.at, now) }));
  const areCutsAhead = cuts.some(({ at }) => at > now);
  if (state === undefined) return { state, cuts: mended, wasAhead: areCutsAhead };
  const areAhead = [state.entries, state.removed].map((records) => holdBack(records, now)).includes(true);
  const wasAhead = areAhead || areCutsAhead || state.changes.some(({ at }) => at > now);
  const changes = state.changes.map((change) => ({ ...change, at: Math.min(change.at, now) }));
  return { state: { ...state, changes }, cuts: mended, wasAhead };
}

async function readStart(
  { storage }: Reading,
  held: HeldVersion,
  sitemaps: LiveGenerations,
): Promise<Omit<Start, 'wasAhead'>> {
  if (held.uploadId === null) return { state: undefined, cuts: held.cuts };
  const object = await readObject(storage, recentStateKey(held.uploadId));
  const state = object && readRecentState(object);
  if (state === undefined) return withoutState('unknown', held, sitemaps);
  if (!state.isOurXml) return withoutState('xml-version', held, sitemaps);
  return { state, cuts: held.cuts };
}

/**
 * Starts anew, without the last version. The next version has no changes up to now, because only the lost version knew the removed URLs. A
 * late pack of an older generation can have URLs that a later generation removed.
 */
export function withoutState(
  reason: LeftOutReason,
  { cuts, now }: HeldVersion,
  sitemaps: LiveGenerations,
): Start {
  const lost = [...sitemaps].map(([sitemapName, { seq }]) => ({ sitemapName, reason, seq, at: now }));
  return { state: undefined, cuts: [...cuts, ...lost], wasAhead: false };
}

export type LiveGenerations = ReadonlyMap<string, LiveGeneration>;

/** Returns a function that reads the fragments of the last version. It holds only one file in memory, so read the fragments in order. */
export function createReadFragment(
  { storage }: Reading,
  { uploadId, files }: HeldVersion,
  state: RecentState | undefined,
): ReadFragment {
  let open: { readonly n: number; readonly bytes: Buffer<ArrayBuffer> } | undefined;
  const starts = new Map<PlacedFragment, number>();
  let [at, n] = [0, 0];
  for (const fragment of state?.fragments ?? []) {
    if (fragment.file !== n) [n, at] = [fragment.file, state!.fragmentsFrom[fragment.file - 1]!];
    starts.set(fragment, at);
    at += fragment.deflatedBytes;
  }
  return async (place) => {
    if (open?.n !== place.file) {
      const bytes = await readObject(storage, uploadFileKey(uploadId!, place.file));
      if (bytes === undefined || contentDigest([bytes]) !== files[place.file - 1]?.etag) {
        throw new DamagedFile(`recent file ${place.file} of ${uploadId}`);
      }
      open = { n: place.file, bytes: bytes as Buffer<ArrayBuffer> };
    }
    const { file: _, deflatedBytes, ...fragment } = place;
    const from = starts.get(place)!;
    return { ...fragment, deflated: open.bytes.subarray(from, from + deflatedBytes) };
  };
}

/** Throws DamagedFile if a file or the feed of the version is missing or has another size. */
export async function checkObjects({ storage }: Reading, held: HeldVersion): Promise<void> {
  const { uploadId, files, feed } = held;
  if (uploadId === null) return;
  const objects = files.map(({ gzipBytes }, i) => ({ key: uploadFileKey(uploadId, i + 1), gzipBytes }));
  if (feed !== null) objects.push({ key: feedKey(uploadId), gzipBytes: feed.gzipBytes });
  for (const { key, gzipBytes } of objects) {
    if ((await storage.head(key))?.bytes !== gzipBytes) throw new DamagedFile(key);
  }
}
