/** Rows with leases, as stores have them, and what the processes do that hold them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { type HeldLease, holdLease } from '../../../src/platform/postgres/hold-lease.ts';
import { isFree, LeaseLost, leasedFor } from '../../../src/platform/postgres/lease.ts';

export interface Held {
  readonly name: string;
  readonly fence: number;
}

/** Each function takes the connections of one process; without them it is another process. */
export interface LeasedRows {
  /** Returns the name of a row that is free. */
  add(): Promise<string>;
  take(name: string, pool?: Database): Promise<Held | undefined>;
  /** Tries until it is free. */
  takeOver(name: string): Promise<Held>;
  hold(held: Held, pool?: Database): HeldLease;
  renew(held: Held, pool?: Database): Promise<void>;
  /** Returns whether the row was changed. */
  change(held: Held, pool?: Database): Promise<boolean>;
  free(held: Held, pool?: Database): Promise<boolean>;
  /** Ends a lease, as if its time had passed. */
  end(name: string): Promise<unknown>;
}

export async function createLeasedRows(database: Database, lengthMs: number): Promise<LeasedRows> {
  await database.query(
    'CREATE TABLE leased (name text PRIMARY KEY, fence integer NOT NULL, leased_until timestamptz, changes integer NOT NULL)',
  );
  const set = async (columns: string, { name, fence }: Held, pool = database) => {
    const sql = `UPDATE leased SET ${columns} WHERE name = $1 AND fence = $2`;
    return (await pool.query(sql, [name, fence])).rowCount === 1;
  };
  let added = 0;
  const rows: LeasedRows = {
    async add() {
      const name = `row ${++added}`;
      await database.query('INSERT INTO leased VALUES ($1, 0, NULL, 0)', [name]);
      return name;
    },
    async take(name, pool = database) {
      const taken = await pool.query<Held>(
        `UPDATE leased SET fence = fence + 1, leased_until = ${leasedFor('$2')}
          WHERE name = $1 AND ${isFree('leased_until')} RETURNING name, fence`,
        [name, lengthMs],
      );
      return taken.rows[0];
    },
    async takeOver(name) {
      for (;;) {
        const held = await rows.take(name);
        if (held !== undefined) return held;
        await delay(5);
      }
    },
    hold: (held, pool) =>
      holdLease({
        lengthMs,
        renew: () => rows.renew(held, pool),
        release: async () => void (await rows.free(held, pool)),
      }),
    async renew(held, pool) {
      const isOurs = await set(`leased_until = ${leasedFor(lengthMs)}`, held, pool);
      if (!isOurs) throw new LeaseLost('another process has it');
    },
    change: (held, pool) => set('changes = changes + 1', held, pool),
    free: (held, pool) => set('leased_until = NULL', held, pool),
    end: (name) => database.query('UPDATE leased SET leased_until = now() WHERE name = $1', [name]),
  };
  return rows;
}
