/** Bodies in which the HTTP parser found a fault. It says so once, and perhaps before anyone reads the body. */
import type { IncomingMessage } from 'node:http';

const faults = new WeakMap<IncomingMessage, Error>();

/** Remembers the fault, and tells it to the reader of the body if there is one. */
export function breakBody(request: IncomingMessage, fault: Error): void {
  faults.set(request, fault);
  if (request.listenerCount('error') > 0) request.emit('error', fault);
}

/** Whoever begins to read such a body would wait in vain. */
export function brokenBody(request: IncomingMessage): Error | undefined {
  return faults.get(request);
}
