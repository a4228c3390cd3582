/**
 * A histogram of durations in plain numbers, for code that cannot afford even a call into a metrics library.
 */
export class BucketCounts {
  /** Upper bounds in seconds, ascending. Longer durations count in one more bucket, the last of `counts`. */
  readonly bounds: readonly number[];
  /** The number of durations in each bucket, not cumulative. */
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
