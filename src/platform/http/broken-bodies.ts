/** Remembers the bodies in which the HTTP parser found a fault, because the parser may report the fault before the body has a reader. */
import type { IncomingMessage } from 'node:http';

const faults = new WeakMap<IncomingMessage, Error>();

/** Remembers the fault, and reports it to the body's reader if there is one. */
export function breakBody(request: IncomingMessage, fault: Error): void {
  faults.set(request, fault);
  if (request.listenerCount('error') > 0) request.emit('error', fault);
}

/** Returns the fault of a body, if it has one. Call this before you read the body: the rest of a broken body never arrives. */
export function brokenBody(request: IncomingMessage): Error | undefined {
  return faults.get(request);
}
