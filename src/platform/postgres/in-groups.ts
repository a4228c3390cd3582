/**
 * Runs statements that serve many callers at once (`platform/concurrency/grouped-calls.ts`). The statement of a caller begins after the
 * call, so it sees every change that was committed before the call.
 */
import { withinDeadline } from '../concurrency/deadline.ts';
import { GroupedCalls } from '../concurrency/grouped-calls.ts';
import { type Database, isFaultOfMember, type Queryable, statementTimeoutMs } from './database.ts';

/**
 * The largest size of a group. A process has fewer connections to clients (API_MAX_CONNECTIONS), so a group takes all waiting callers. If
 * Postgres hangs, no queue is left of callers whose requests were answered long ago.
 */
const MOST = 10_000;

/**
 * Returns a function whose calls share groups. `work` gets the arguments of the calls of a group, and returns their results in the same
 * order. A call throws DeadlinePassed after the timeout of a statement, even if its group has not begun.
 */
export function inGroups<Asked, Result>(
  database: Database,
  work: (group: readonly Asked[]) => Promise<readonly Result[]>,
): (asked: Asked) => Promise<Result> {
  const calls = new GroupedCalls<Asked, Result>(
    async (group) => (await work(group)).map((value) => ({ value })),
    { most: MOST, isOfMember: isFaultOfMember },
  );
  const timeoutMs = statementTimeoutMs(database);
  return (asked) => withinDeadline(calls.run(asked), timeoutMs);
}

/**
 * Returns a function whose calls find things by shared statements. `find` gets each thing once, and returns the results in the same order.
 */
export function lookUpInGroups<Asked, Found>(
  database: Database,
  keyOf: (asked: Asked) => string,
  find: (queryable: Queryable, asked: readonly Asked[]) => Promise<readonly Found[]>,
): (asked: Asked) => Promise<Found> {
  return inGroups(database, async (group) => {
    const keys = group.map(keyOf);
    const different = new Map(group.map((asked, i) => [keys[i]!, asked]));
    const found = await find(database, [...different.values()]);
    const byKey = new Map([...different.keys()].map((key, i) => [key, found[i]!]));
    return keys.map((key) => byKey.get(key)!);
  });
}
