/**
 * | reason | means |
 * |---|---|
 * | missing | the object is not there, or a page of HTML stands in its place |
 * | refused | the host, or a rule of ours, does not let us read the object |
 * | changed | the object has another entity tag than before |
 * | passing | the host or the network is in trouble, and another try may succeed |
 */
type SourceReason = 'missing' | 'refused' | 'changed' | 'passing';

/** Says why an object cannot be read. `message` follows the address of the object, as in `answers 404`. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly reason: SourceReason;
  /** The time that the host asks us to wait. 0 if it asks for none. */
  readonly retryAfterMs: number;

  constructor(reason: SourceReason, message: string, retryAfterMs = 0, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

export function refused(message: string): SourceFailure {
  return new SourceFailure('refused', message);
}

/** Returns the failure for an index in a bucket. Its children are addresses of the web, and a connection reads only buckets. */
export function indexInBucket(): SourceFailure {
  return refused('is a sitemap index in a bucket; name the sitemaps themselves, for example by *');
}
