/** Says why a request to an external host has no answer. */
import { errorCode } from '../error-code.ts';

/**
 * | reason | means |
 * |---|---|
 * | blocked | the address is no URL, is not public, has a user, or has a scheme that we do not ask |
 * | unreachable | no connection, it ended before the whole answer, or we cannot accept the answer |
 * | timeout | no whole answer in time |
 * | costly | an answer of `read-outside.ts` is too large, longer than it says, or comes in too small pieces |
 * | redirects | more redirects than allowed, or a redirect without a valid address |
 * | aborted | `signal` ended the request |
 */
export type OutboundFailure = 'blocked' | 'unreachable' | 'timeout' | 'costly' | 'redirects' | 'aborted';

/** `message`: for people, without the path of the address, which may be a secret. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Matches messages about the network, but not messages about names, certificates and HTTP. */
const NETWORK = /^(?:E(?:CONN|HOST|NET|PIPE|TIMEDOUT|ADDR)|the connection ended early)/;

/**
 * Returns the failure for people. A port that is closed, drops packets or is silent gives the same words: a customer can name any host, and
 * must not learn from us which ports of the host are open.
 */
export function shownFailure({ reason, message }: OutboundError): string {
  const isOfNetwork = reason === 'timeout' || (reason === 'unreachable' && NETWORK.test(message));
  if (isOfNetwork) return 'there is no connection, or no whole answer in time';
  return WORDS.find(([code]) => code.test(message))?.[1] ?? message;
}

/** The words for error codes about names, certificates, TLS and HTTP. */
const WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(ENOTFOUND|ENODATA)$/, "the host doesn't exist"],
  [/^(EAI_AGAIN|ESERVFAIL|EREFUSED|ETIMEOUT)$/, "its name servers don't answer"],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [/^(UNABLE_TO_\w+|SELF_SIGNED\w+|DEPTH_ZERO_\w+|CERT_\w+)$/, "its certificate isn't trusted"],
  [/^(EPROTO|ERR_SSL_\w+)$/, "its TLS doesn't work"],
  [/^HPE_HEADER_OVERFLOW$/, 'the head of its answer is too long'],
  [/^HPE_\w+$/, 'its answer is no valid HTTP'],
];

/** Returns the error for a failed connection. Its message is the code of Node's error, for example ECONNREFUSED or CERT_HAS_EXPIRED. */
export function unreachable(cause: unknown): OutboundError {
  const code = errorCode(cause);
  const why = code === undefined ? 'the connection ended early' : String(code);
  return new OutboundError('unreachable', why, { cause });
}
