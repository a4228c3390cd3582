/**
 * How long things took, counted in buckets: a histogram of plain numbers, for where even a call into a metrics library
 * would cost too much.
 */
export class BucketCounts {
  /** Upper ends, ascending, in seconds; what is longer counts in a last bucket of its own. */
  readonly bounds: readonly number[];
  /** Of each bucket alone, not of those below it. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(seconds: number): void {
    this.sum += seconds;
    let i = 0;
    while (i < this.bounds.length && seconds > this.bounds[i]!) i++;
    this.counts[i]! += 1;
  }
}
