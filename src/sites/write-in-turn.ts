/**
 * Writes of sites as one process may make them: one at a time for each hostname, and so many in all, for each holds a
 * connection to Postgres for as long as the object storage takes. Whoever asks for a write that has not begun joins
 * it: it will see what is committed by now.
 */
import { Turns } from '../platform/turns.ts';

type Write<Result> = (hostname: string) => Promise<Result>;

export function inTurn<Result>(write: Write<Result>, places: number): Write<Result> {
  const turns = new Turns(places);
  /** Of each hostname the write that begins last. */
  const newest = new Map<string, Promise<Result>>();
  const notBegun = new Map<string, Promise<Result>>();

  async function writeAfter(former: Promise<Result> | undefined, hostname: string): Promise<Result> {
    await Promise.allSettled([former]);
    return turns.run(hostname, () => {
      notBegun.delete(hostname);
      return write(hostname);
    });
  }

  return (hostname) => {
    const joined = notBegun.get(hostname);
    if (joined !== undefined) return joined;
    const next = writeAfter(newest.get(hostname), hostname);
    notBegun.set(hostname, next);
    newest.set(hostname, next);
    const forget = () => {
      if (newest.get(hostname) === next) newest.delete(hostname);
    };
    next.then(forget, forget);
    return next;
  };
}
