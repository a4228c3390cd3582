/**
 * Limits the site writes of a process: one at a time per hostname, and `places` in total, because each write holds a
 * Postgres connection while it waits for the object storage. Calls for a hostname are coalesced: a call joins a write
 * that has not begun, because that write will see what is committed by now.
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
