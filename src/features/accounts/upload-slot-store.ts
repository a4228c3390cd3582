/** The SQL of upload slots. The slots of an account are numbered, so the primary key enforces its limit. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { leasedFor } from '../../platform/postgres/lease.ts';

export interface UploadSlot {
  readonly accountId: string;
  /** The number of the slot in its account, from 1. */
  readonly n: number;
  /** Distinguishes this lease of the slot from earlier and later leases of the slot. */
  readonly holder: string;
}

interface WantedSlot extends Omit<UploadSlot, 'n'> {
  /** The number of the first slot to look for. */
  readonly first: number;
  readonly count: number;
}

/** Takes one of the account's `count` slots from the number `first` on. Returns undefined when all are taken. */
export async function takeUploadSlot(
  queryable: Queryable,
  { accountId, first, count, holder }: WantedSlot,
  leaseMs: number,
): Promise<UploadSlot | undefined> {
  for (;;) {
    // A random slot is taken, so that uploads that begin at once rarely try the same slot.
    const { rows } = await queryable.query<{ wasFree: boolean; n: number | null }>({
      name: 'take-upload-slot',
      text: `WITH free AS (
         SELECT wanted.n FROM generate_series($5::integer, $5 + $2::integer - 1) AS wanted (n)
          WHERE NOT EXISTS (SELECT FROM upload_slots AS s
                             WHERE s.account_id = $1 AND s.n = wanted.n AND s.expires_at > now())
          ORDER BY random() LIMIT 1
       ), taken AS (
         INSERT INTO upload_slots AS s (account_id, n, holder, expires_at)
         SELECT $1, free.n, $3, ${leasedFor('$4')} FROM free
         ON CONFLICT (account_id, n) DO UPDATE
            SET holder = excluded.holder, expires_at = excluded.expires_at, progress = NULL
          WHERE s.expires_at <= now()
         RETURNING s.n
       )
       SELECT EXISTS (SELECT FROM free) AS "wasFree", (SELECT n FROM taken) AS n`,
      values: [accountId, count, holder, leaseMs, first],
    });
    const { wasFree, n } = rows[0]!;
    if (n !== null) return { accountId, n, holder };
    if (!wasFree) return undefined;
    // Another upload was quicker. The loop ends, because in each round one of the uploads gets a slot.
  }
}

/**
 * Extends the leases, and stores the progress of the uploads for other processes. `progress`: undefined before the first progress. A lease
 * that a crash of Postgres lost is taken again, unless another upload holds the slot.
 */
export async function renewUploadSlots(
  queryable: Queryable,
  slots: readonly (UploadSlot & { readonly progress: unknown })[],
  leaseMs: number,
): Promise<void> {
  await queryable.query(
    `INSERT INTO upload_slots AS s (account_id, n, holder, expires_at, progress)
     SELECT account_id, n, holder, ${leasedFor('$4')}, progress::json
       FROM unnest($1::text[], $2::integer[], $3::text[], $5::text[]) AS held (account_id, n, holder, progress)
     ON CONFLICT (account_id, n) DO UPDATE SET expires_at = excluded.expires_at, progress = excluded.progress
      WHERE s.holder = excluded.holder`,
    [
      slots.map(({ accountId }) => accountId),
      slots.map(({ n }) => n),
      slots.map(({ holder }) => holder),
      leaseMs,
      slots.map(({ progress }) => (progress === undefined ? null : JSON.stringify(progress))),
    ],
  );
}

export async function freeUploadSlot(
  queryable: Queryable,
  { accountId, n, holder }: UploadSlot,
): Promise<void> {
  await queryable.query({
    name: 'free-upload-slot',
    text: 'DELETE FROM upload_slots WHERE account_id = $1 AND n = $2 AND holder = $3',
    values: [accountId, n, holder],
  });
}
