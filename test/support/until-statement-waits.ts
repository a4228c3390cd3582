/** Waits until another connection waits for a lock. */
import { vi } from 'vitest';
import type { Queryable } from '../../src/platform/postgres/database.ts';
import { soon } from './soon.ts';

/** Resolves when exactly `count` statements with `part` in their text wait for a lock in this database. */
export async function untilStatementWaits(database: Queryable, part = '', count = 1): Promise<void> {
  const isWaiting = async () => {
    const { rowCount } = await database.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0`,
      [part],
    );
    return rowCount === count;
  };
  await vi.waitUntil(isWaiting, soon(`a statement that waits for a lock: ${part || 'any'}`));
}
