/** Every wait has an end, and says then what it waited for. */
import { type EventEmitter, once as onceOf } from 'node:events';

/** The longest wait for something that must happen. A busy machine needs it, and a wait that succeeds costs nothing. */
export const SOON = { timeout: 120_000, interval: 25 };

/** The same for `vi.waitUntil`, whose error has no words of its own. */
export const soon = (awaited: string) => ({ ...SOON, message: `still waiting for ${awaited}` });

/** Settles like `promise`, or throws that it still waits. `known`: what helps to see why. */
export async function settled<T>(promise: Promise<T>, awaited: string, known = () => ''): Promise<T> {
  const late = Promise.withResolvers<never>();
  const fail = () => late.reject(new Error(`still waiting for ${awaited}\n${known()}`.trimEnd()));
  const timer = setTimeout(fail, SOON.timeout);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** `once` of `node:events` with such an end, which counts from now: not for the end of what may go on for long. */
// biome-ignore lint/suspicious/noExplicitAny: as in the types of Node.
export function once(emitter: EventEmitter, event: string): Promise<any[]> {
  return settled(onceOf(emitter, event), `'${event}' of a ${emitter.constructor.name}`);
}
