/**
 * Writes of sites as one process may make them: one at a time for each hostname, and so many in all, for each holds a
 * connection to Postgres for as long as the object storage takes. Whoever asks for a write that has not begun joins
 * it: it will see what is committed by now.
 */
import { CoalescedCalls } from '../platform/concurrency/coalesced-calls.ts';
import { Turns } from '../platform/concurrency/turns.ts';

type Write<Result> = (hostname: string) => Promise<Result>;

export function inTurn<Result>(write: Write<Result>, places: number): Write<Result> {
  const turns = new Turns(places);
  const writes = new CoalescedCalls<Result>();
  return (hostname) =>
    writes.run(hostname, (begin) =>
      turns.run(hostname, () => {
        begin();
        return write(hostname);
      }),
    );
}
