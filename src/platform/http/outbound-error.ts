/** Why a request to someone else's host has no answer. */
import { errorCode } from '../error-code.ts';

/**
 * | reason | means |
 * |---|---|
 * | blocked | not an address that we ask: not http(s), or not public |
 * | unreachable | no connection, or it ended before the whole answer |
 * | timeout | no whole answer in time |
 * | redirects | more redirects than asked for, or one that leads nowhere |
 * | aborted | by `signal` |
 */
export type OutboundFailure = 'blocked' | 'unreachable' | 'timeout' | 'redirects' | 'aborted';

/** `message`: for people, without the path of the address, which may be a secret. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Of an error of Node: its code, as in ECONNREFUSED or CERT_HAS_EXPIRED. */
export function unreachable(cause: unknown): OutboundError {
  const code = errorCode(cause);
  const why = code === undefined ? 'the connection ended early' : String(code);
  return new OutboundError('unreachable', why, { cause });
}
