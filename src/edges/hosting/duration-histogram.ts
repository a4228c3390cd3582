/**
 * A histogram of durations in plain numbers, for code for which a call of a metrics library is too slow.
 */
export class DurationHistogram {
  /** The upper bounds of the buckets in seconds, ascending. `counts` has one more bucket, for durations above the last bound. */
  readonly bounds: readonly number[];
  /** The number of durations in each bucket. A bucket does not count the durations of lower buckets. */
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
