/** The jobs of certificates, in two processes' runners over one queue. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { enqueueIssuance } from '../../src/core/jobs/enqueue-issuance.ts';
import { enqueueJob } from '../../src/core/jobs/job-store.ts';
import { startJobRunner } from '../../src/core/jobs/start-job-runner.ts';
import { listDueFirsts, listDueRenewals } from '../../src/features/certificates/certificate-store.ts';
import {
  type EnqueueIssuance,
  enqueueDueCertificates,
  workOnCertificate,
} from '../../src/features/certificates/due-certificates.ts';
import { addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { isHere, needs } from '../support/needs.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { SOON } from '../support/soon.ts';
import { createIssuanceWorld } from './issuance-world.ts';

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, front, outcomes } = world;

  async function startRunner() {
    const pool = createPatientPool(world.url, 10);
    const options = world.optionsWith({ database: pool });
    const enqueue: EnqueueIssuance = (domainId, delayMs) => enqueueIssuance(pool, domainId, { delayMs });
    const runner = await startJobRunner(
      pool,
      {
        'certificate.issue': { work: ({ domainId }) => workOnCertificate(options, domainId, enqueue) },
        'certificates.sweep': { work: () => enqueueDueCertificates(options, enqueue) },
      },
      collectLog(),
      { jobsAtOnce: 10 },
    );
    afterAll(async () => {
      await runner.stop();
      await pool.end();
    });
  }
  await Promise.all([startRunner(), startRunner()]);

  const isDone = () =>
    vi.waitFor(async () => {
      const { rowCount } = await database.query('SELECT FROM graphile_worker.jobs WHERE run_at <= now()');
      expect(rowCount).toBe(0);
    }, SOON);

  test('ten jobs for one hostname at once place one order', async () => {
    const domain = await world.addDueDomain();
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        enqueueJob(database, 'certificate.issue', { domainId: domain.id }, { key: `job ${n}` }),
      ),
    );
    await vi.waitFor(async () => expect((await world.stateOf(domain)).state).toBe('active/active'), SOON);
    await isDone();
    expect(outcomes.splice(0)).toEqual(['issued']);
    expect(front.count('newOrder')).toBe(1);
  });

  test('the sweep finds what is due, and nothing is lost or ordered twice', async () => {
    front.reset();
    const domains = await Promise.all(Array.from({ length: 20 }, () => world.addDueDomain()));
    await enqueueJob(database, 'certificates.sweep', {}, { key: 'sweep' });
    await enqueueJob(database, 'certificates.sweep', {}, { key: 'another sweep' });
    for (const domain of domains) {
      await vi.waitFor(async () => expect((await world.stateOf(domain)).state).toBe('active/active'), SOON);
    }
    await isDone();
    expect(outcomes.splice(0)).toEqual(new Array(20).fill('issued'));
    expect(front.count('newOrder')).toBe(20);
    expect(await listDueFirsts(database, 0, 100)).toEqual([]);
    expect(await listDueRenewals(database, 0, 100)).toEqual([]);
  });

  test('what is kept of deleted domains goes when it is of no use any more', async () => {
    const [kept, expired, bare] = [
      await world.addActiveDomain(),
      await world.addActiveDomain(),
      await addVerifiedDomain(database, world.account),
    ];
    await world.request(bare);
    await world.passTime(expired, 46 * 86_400_000);
    const ids = [kept, expired, bare].map(({ id }) => id);
    await database.query('DELETE FROM domains WHERE id = ANY($1)', [ids]);
    await enqueueDueCertificates({ database, authorities: undefined }, async () => {});
    const { rows } = await database.query('SELECT hostname FROM certificates WHERE domain_id IS NULL');
    expect(rows).toEqual([{ hostname: kept.hostname }]);
  });
});
