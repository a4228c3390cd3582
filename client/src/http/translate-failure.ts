/** Turns failures of the network into errors for people, and tells whether a retry makes sense. */
import { WaypostError } from '../waypost-error.ts';
import { proxyHint } from './agents.ts';

/** The codes of faults that last until the address or the certificate is corrected. */
const LASTING = /^(ENOTFOUND|EPROTO|HPE_|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/**
 * Returns undefined for a bug of this library, because such an error has no system code, and for an argument that Node refuses, such as a
 * chunk that has no bytes: a TypeError, which no failure of the network is.
 */
export function translateFailure(thrown: unknown): WaypostError | undefined {
  if (thrown instanceof WaypostError) return thrown;
  if (!(thrown instanceof Error) || thrown instanceof TypeError) return undefined;
  const { code, message } = innermost(thrown);
  if (code === undefined) return undefined;
  // The message of OpenSSL has addresses and files of its source around these words.
  const [, tls] = /:SSL routines:[^:]*:([^:]*):/.exec(message) ?? [];
  const why = tls === undefined ? message || code : `HTTPS fails there (${tls})`;
  return new WaypostError('UNREACHABLE', `Cannot reach the server: ${why}${proxyHint()}`, {
    isTemporary: !LASTING.test(code),
    cause: thrown,
  });
}

/** If several addresses of a host fail, Node throws an AggregateError, so take the first of its errors. */
function innermost(error: Error): NodeJS.ErrnoException {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return (first ?? error) as NodeJS.ErrnoException;
}
