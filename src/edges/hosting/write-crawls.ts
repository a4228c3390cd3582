/**
 * Writes the counts of crawls into the store. A count passes from state to state:
 *
 *   counted --taken-->    waiting   by day, cut into objects
 *   waiting --packed-->   object    has a key that does not change any more
 *   object  --stored-->   gone      if a put that seemed to fail has stored the object, the next put writes the same bytes
 *
 * While the store fails, one object and the counts that were taken with it wait, and CrawlCounts counts on. Do not use `putNew` here: jobs
 * list the keys, so they may read an object before its put is done.
 */
import {
  type CrawlCount,
  crawlsKey,
  LINES_OF_OBJECT,
  packCounts,
} from '../../features/crawls/crawl-object.ts';
import { randomText } from '../../platform/ids.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import type { CrawlCounts, DayCounts } from './crawl-counts.ts';

interface PackedObject {
  readonly key: string;
  readonly bytes: Buffer;
}

/** The outcome of a put. After `failed`, the object may be stored all the same. */
export type WriteOutcome = 'written' | 'failed';

export interface WriteCrawlsOptions {
  readonly counts: Pick<CrawlCounts, 'take'>;
  readonly storage: Pick<ObjectStorage, 'put'>;
  readonly report: (outcome: WriteOutcome) => void;
}

export class CrawlWriter {
  readonly #options: WriteCrawlsOptions;
  /** A random text that makes the keys of this process unique. */
  readonly #random = randomText(22);
  #n = 0;
  #waiting: Iterator<{ readonly day: string; readonly counts: readonly CrawlCount[] }> = [].values();
  #object: PackedObject | undefined;
  #isWriting = false;

  constructor(options: WriteCrawlsOptions) {
    this.#options = options;
  }

  /**
   * Writes all counts that were added before the call. Does nothing while another call writes. Throws when the store fails.
   */
  async write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      await this.#writeWaiting();
      this.#waiting = portionsOf(this.#options.counts.take());
      await this.#writeWaiting();
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeWaiting(): Promise<void> {
    const { storage, report } = this.#options;
    for (;;) {
      this.#object ??= await this.#pack();
      if (this.#object === undefined) return;
      try {
        await storage.put(this.#object.key, [this.#object.bytes]);
      } catch (error) {
        report('failed');
        throw error;
      }
      this.#object = undefined;
      report('written');
    }
  }

  async #pack(): Promise<PackedObject | undefined> {
    const { done, value } = this.#waiting.next();
    if (done) return undefined;
    return { key: crawlsKey(value.day, this.#random, ++this.#n), bytes: await packCounts(value.counts) };
  }
}

function* portionsOf(days: readonly DayCounts[]) {
  for (const { day, counts } of days) {
    let portion: CrawlCount[] = [];
    for (const count of counts) {
      portion.push(count);
      if (portion.length < LINES_OF_OBJECT) continue;
      yield { day, counts: portion };
      portion = [];
    }
    if (portion.length > 0) yield { day, counts: portion };
  }
}
