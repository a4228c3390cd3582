/** A jobs process whose clock is wrong by a day: the clock of the database decides what is due. */
import { describe, expect, test, vi } from 'vitest';
import { enqueueIssuance } from '../../src/core/jobs/enqueue-issuance.ts';
import { enqueueJob } from '../../src/core/jobs/job-store.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { startProcess } from '../service/support/processes.ts';
import { withClock } from '../support/faketime.ts';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createIssuanceWorld } from './issuance-world.ts';

describe('with Pebble', needs('pebble', 'faketime'), async () => {
  if (!isHere('pebble') || !isHere('faketime')) return;
  const world = await createIssuanceWorld();
  const { database, jobsSettings } = world;

  const chainOf = async ({ id }: Domain): Promise<string | null> =>
    (await database.query('SELECT chain FROM certificates WHERE domain_id = $1', [id])).rows[0].chain;
  /** When it is to be renewed, by the clock of the database. */
  async function addActive(due: string): Promise<Domain> {
    const domain = await world.addActiveDomain();
    await database.query(
      `UPDATE certificates SET renew_at = now() + $2::interval, due_at = now() + $2::interval, ari_check_at = NULL
        WHERE domain_id = $1`,
      [domain.id, due],
    );
    return domain;
  }

  test.each(['+1d', '-1d'])(
    'with a clock that is wrong by %s nothing is renewed early or late',
    async (offset) => {
      const [first, due, later] = [
        await world.addDueDomain(),
        await addActive('-1 minute'),
        await addActive('12 hours'),
      ];
      const [dueChain, laterChain] = [await chainOf(due), await chainOf(later)];
      const jobs = startProcess('src/job-runner.ts', {
        ...jobsSettings,
        ...withClock(offset),
      });
      try {
        await enqueueIssuance(database, later.id);
        await enqueueJob(database, 'certificates.sweep', {}, { key: 'certificates.sweep' });
        await vi.waitFor(async () => {
          expect(await chainOf(first)).not.toBeNull();
          expect(await chainOf(due)).not.toBe(dueChain);
          const { rowCount } = await database.query(
            "SELECT FROM graphile_worker.jobs WHERE task_identifier LIKE 'certificate%' AND run_at <= now()",
          );
          expect(rowCount).toBe(0);
        }, SOON);
        const { rows } = await database.query(
          `SELECT extract(epoch FROM renew_at - not_before) / extract(epoch FROM not_after - not_before) AS part,
                abs(extract(epoch FROM now() - not_before)) AS age
           FROM certificates WHERE domain_id = ANY($1)`,
          [[first.id, due.id]],
        );
        for (const { part, age } of rows) {
          expect(Number(part)).toBeGreaterThan(0.09);
          expect(Number(part)).toBeLessThan(0.91);
          expect(Number(age)).toBeLessThan(3600);
        }
        // A job that ran at the start is in the queue again after the next look at it.
        const recurring = await vi.waitFor(async () => {
          const { rows } = await database.query(
            "SELECT key, run_at > now() + interval '1 hour' AS late FROM graphile_worker.jobs WHERE key = task_identifier",
          );
          expect(rows).toContainEqual({ key: 'domains.verify', late: false });
          return rows;
        }, SOON);
        expect(recurring.filter(({ late }) => late)).toEqual([]);
      } finally {
        await jobs.stop();
      }
      expect(await chainOf(later)).toBe(laterChain);
    },
  );
});
