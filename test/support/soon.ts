/** Bounds every wait. A wait that fails names the awaited event. */
import { type EventEmitter, once as onceOf } from 'node:events';

/**
 * The longest wait for an event that must happen. A busy machine may need it, and a wait that succeeds ends soon after the event. Many
 * looks are requests, which cost processor time that other tests need.
 */
export const SOON = { timeout: 120_000, interval: 100 };

/** The options for `vi.waitUntil`, whose own error names no event. */
export const soon = (awaited: string) => ({ ...SOON, message: `still waiting for ${awaited}` });

/** Settles like `promise`, or throws after the longest wait. `known`: further facts for the error. */
export async function settled<T>(promise: Promise<T>, awaited: string, known = () => ''): Promise<T> {
  const late = Promise.withResolvers<never>();
  const fail = () => late.reject(new Error(`still waiting for ${awaited}\n${known()}`.trimEnd()));
  const timer = setTimeout(fail, SOON.timeout);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** `once` of `node:events` with the longest wait from now on. Do not use it for the end of a long process. */
// biome-ignore lint/suspicious/noExplicitAny: as in the types of Node.
export function once(emitter: EventEmitter, event: string): Promise<any[]> {
  return settled(onceOf(emitter, event), `'${event}' of a ${emitter.constructor.name}`);
}
