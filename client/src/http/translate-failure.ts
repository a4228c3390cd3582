/** Turns failures of the network into errors that say what to do. */
import { WaypostError } from '../waypost-error.ts';
import { proxyHint } from './agents.ts';

/** Faults that stay until someone corrects the address or the certificate. */
const LASTING = /^(ENOTFOUND|EPROTO|HPE_|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Undefined for a fault of ours: it has no code of the system. */
export function translateFailure(thrown: unknown): WaypostError | undefined {
  if (thrown instanceof WaypostError) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const { code, message } = innermost(thrown);
  if (code === undefined) return undefined;
  return new WaypostError('UNREACHABLE', `Cannot reach the server: ${message || code}${proxyHint()}`, {
    isTemporary: !LASTING.test(code),
    cause: thrown,
  });
}

/** Several addresses of a host fail together, as an AggregateError. */
function innermost(error: Error): NodeJS.ErrnoException {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return (first ?? error) as NodeJS.ErrnoException;
}
