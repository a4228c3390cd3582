/**
 * Groups the site writes of a process. While a group of sites is written, the next group collects. Calls for a hostname are coalesced: a
 * call joins a write that has not begun, because that write will see all changes committed before the call. Sites that must be written
 * alone have a lane of their own, so small sites do not wait for them.
 *
 * A group, or a site that is written alone, holds a connection to Postgres while it waits for the object storage. `places` limits the
 * number of these connections.
 */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import { GroupedCalls, type Outcome } from '../../platform/concurrency/grouped-calls.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import { isFaultOfMember } from '../../platform/postgres/database.ts';
import type { WriteAttempt } from './site-outcomes.ts';

interface SiteWrites {
  /** Writes sites in one transaction. Some may have to be written alone. */
  readonly together: (hostnames: readonly string[]) => Promise<readonly Outcome<WriteAttempt>[]>;
  /** Returns whether the site was outdated. */
  readonly alone: (hostname: string) => Promise<boolean>;
}

/** The most sites of a group. The limit bounds the transaction of a group, which lasts as long as its slowest put. */
const MOST_SITES = 50;
/** While one group hangs, another group lets sites through. More groups at once have fewer sites each, and so cost more. */
const GROUPS_AT_ONCE = 2;

/** Returns a function that writes a site and says whether it was outdated. */
export function inTurn(
  { together, alone }: SiteWrites,
  places: number,
): (hostname: string) => Promise<boolean> {
  const atOnce = Math.max(1, Math.min(GROUPS_AT_ONCE, places - 1));
  const turns = new Turns(Math.max(1, places - atOnce));
  const groups = new GroupedCalls<{ readonly hostname: string; readonly begin: () => void }, WriteAttempt>(
    (waiting) => {
      for (const { begin } of waiting) begin();
      return together(waiting.map(({ hostname }) => hostname));
    },
    { most: MOST_SITES, atOnce, isOfMember: isFaultOfMember },
  );
  const writes = new CoalescedCalls<boolean>();
  return (hostname) =>
    writes.run(hostname, async (begin) => {
      const attempt = await groups.run({ hostname, begin });
      return attempt === 'alone' ? turns.run(hostname, () => alone(hostname)) : attempt === 'written';
    });
}
