/**
 * Groups the site writes of a process: while a group of sites is written, the next one collects. Calls for a hostname are coalesced: a call
 * joins a write that has not begun, because that write will see all changes committed before the call. Sites that must be written alone
 * have a lane of their own, so small sites do not wait for them.
 *
 * Each group and each site alone holds a Postgres connection while it waits for the object storage, so their number is limited by `places`.
 */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import { GroupedCalls, type Outcome } from '../../platform/concurrency/grouped-calls.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import { isFaultOfMember } from '../../platform/postgres/database.ts';
import type { WriteAttempt } from './site-outcomes.ts';

export interface SiteWrites {
  /** Writes sites in one transaction. Some may have to be written alone. */
  readonly together: (hostnames: readonly string[]) => Promise<readonly Outcome<WriteAttempt>[]>;
  /** Returns whether the site was outdated. */
  readonly alone: (hostname: string) => Promise<boolean>;
}

/** The most sites of a group. There is a limit because the transaction of a group lasts as long as its slowest put. */
const MOST_SITES = 50;
/** The second group lets sites through while the first one hangs. With more groups, each is smaller. */
const GROUPS_AT_ONCE = 2;

/** A write that waits for its group. */
interface WaitingWrite {
  readonly hostname: string;
  readonly begin: () => void;
}

/** Returns a function that writes a site and says whether it was outdated. */
export function inTurn(
  { together, alone }: SiteWrites,
  places: number,
): (hostname: string) => Promise<boolean> {
  const atOnce = Math.max(1, Math.min(GROUPS_AT_ONCE, places - 1));
  const turns = new Turns(Math.max(1, places - atOnce));
  const groups = new GroupedCalls<WaitingWrite, WriteAttempt>(
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
