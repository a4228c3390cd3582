/** The records of changed URLs. A record has the key of a URL, the time and the generation of its change, and its sitemap. */
import { KEY_BYTES } from '../entries/key-list.ts';

/** Each column has `count` values, one for each record. */
export interface Records {
  readonly count: number;
  /** KEY_BYTES for each record (`keyOfUrl`). */
  readonly keys: Buffer;
  /** Unix times in seconds. */
  readonly times: Uint32Array<ArrayBuffer>;
  /** The numbers (`seq`) of the generations with the changes. */
  readonly seqs: Uint32Array<ArrayBuffer>;
  /** The places of the sitemaps in a list of names. */
  readonly sitemaps: Uint32Array<ArrayBuffer>;
}

export function recordsRoom(count: number): Records {
  return {
    count,
    keys: Buffer.alloc(KEY_BYTES * count),
    times: new Uint32Array(count),
    seqs: new Uint32Array(count),
    sitemaps: new Uint32Array(count),
  };
}

/** Turns times after `now` into `now`, because the clock of the database was ahead. Returns whether there were such times. */
export function holdBack({ times }: Records, now: number): boolean {
  const isAhead = times.some((at) => at > now);
  if (isAhead) for (const [i, at] of times.entries()) times[i] = Math.min(at, now);
  return isAhead;
}

/** Returns the records for which `isKept` is true, in order. */
export function filterRecords(records: Records, isKept: (i: number) => boolean): Records {
  const places: number[] = [];
  for (let i = 0; i < records.count; i++) if (isKept(i)) places.push(i);
  const kept = recordsRoom(places.length);
  for (const [to, from] of places.entries()) {
    kept.keys.set(records.keys.subarray(KEY_BYTES * from, KEY_BYTES * (from + 1)), KEY_BYTES * to);
    kept.times[to] = records.times[from]!;
    kept.seqs[to] = records.seqs[from]!;
    kept.sitemaps[to] = records.sitemaps[from]!;
  }
  return kept;
}

/** Leaves out the names of sitemaps without records, and numbers the other sitemaps anew. */
export function renumberSitemaps(
  names: readonly string[],
  lists: readonly Records[],
): { readonly names: string[]; readonly lists: Records[] } {
  const used = new Set(lists.flatMap(({ sitemaps }) => [...new Set(sitemaps)]));
  const kept = [...used].sort((a, b) => a - b);
  const numbers = new Map(kept.map((former, number) => [former, number]));
  return {
    names: kept.map((former) => names[former]!),
    lists: lists.map((list) => ({
      ...list,
      sitemaps: list.sitemaps.map((former) => numbers.get(former)!),
    })),
  };
}

export function joinRecords(lists: readonly Records[]): Records {
  const joined = recordsRoom(lists.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  for (const { count, keys, times, seqs, sitemaps } of lists) {
    joined.keys.set(keys, KEY_BYTES * at);
    joined.times.set(times, at);
    joined.seqs.set(seqs, at);
    joined.sitemaps.set(sitemaps, at);
    at += count;
  }
  return joined;
}

export function sliceRecords({ keys, times, seqs, sitemaps }: Records, from: number, count: number): Records {
  return {
    count,
    keys: keys.subarray(KEY_BYTES * from, KEY_BYTES * (from + count)),
    times: times.subarray(from, from + count),
    seqs: seqs.subarray(from, from + count),
    sitemaps: sitemaps.subarray(from, from + count),
  };
}
