/** Says why an object cannot be read. */

/**
 * | reason | means |
 * |---|---|
 * | missing | it is not there, or a page of HTML stands there |
 * | refused | its host, or a rule of ours, does not let us read it |
 * | changed | it has another entity tag than before |
 * | passing | its host is in trouble, or the network: another try may succeed |
 */
type SourceReason = 'missing' | 'refused' | 'changed' | 'passing';

/** `message` goes on after the address of the object, as in `answers 404`. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly reason: SourceReason;
  /** The time that the host asks us to wait. */
  readonly retryAfterMs: number;

  constructor(reason: SourceReason, message: string, retryAfterMs = 0, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns the failure for an index in a bucket. Its children are addresses of the web, and a connection is not for these. */
export function indexInBucket(): SourceFailure {
  return new SourceFailure(
    'refused',
    'is a sitemap index in a bucket; name the sitemaps themselves, for example by *',
  );
}
