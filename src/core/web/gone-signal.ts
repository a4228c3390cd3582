import type { ServerResponse } from 'node:http';
import { ClientGone } from './request-body.ts';

/** Returns a signal that aborts with ClientGone when the connection of a response ends. Only work for this client may use it. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new ClientGone());
  if (response.destroyed) abort();
  else response.once('close', abort);
  return gone.signal;
}
