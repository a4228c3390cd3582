/** What a hosting server did, in plain numbers: the path of a cached answer can afford nothing more. */
import { BucketCounts } from './bucket-counts.ts';

export interface CacheCounts {
  hits: number;
  misses: number;
}

export class HostingCounts {
  /** Indexed by status. */
  readonly answers = new Float64Array(600);
  /** An answer from memory takes some 0.02 ms; one that waits for the store's deadline takes 5 s. */
  readonly durations = new BucketCounts([0.0001, 0.00025, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10]);
  readonly sites: CacheCounts = { hits: 0, misses: 0 };
  readonly listings: CacheCounts = { hits: 0, misses: 0 };
  readonly files: CacheCounts = { hits: 0, misses: 0 };
  readonly inflated: CacheCounts = { hits: 0, misses: 0 };
  /** Memory in use. `createHosting` connects them to the caches. */
  siteBytes = () => 0;
  objectBytes = () => 0;

  answered(status: number, startedAt: number): void {
    this.answers[status]! += 1;
    this.durations.add((performance.now() - startedAt) / 1000);
  }
}
