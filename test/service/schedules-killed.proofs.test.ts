/** Each due run of a schedule begins once, over two API and two jobs processes that are killed again and again. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { sitemapOf, startSourceHost } from '../support/source-host.ts';
import { createCustomer } from './support/customer.ts';
import { serves, startProcess } from './support/processes.ts';
import { addressesOf, openBackend } from './support/separate-waypost.ts';
import { createFolder } from './support/waypost.ts';

const ACCOUNTS = 3;
/** Of each account. Two loads of it are under way at once, so one waits. */
const SITEMAPS = 3;
const ROUNDS = 3;

const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const { path: dataDir } = scope.use(await createFolder());
const { settings, dns } = await openBackend(dataDir);
scope.use(dns);
const shared = { ...settings, OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' };
const database = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
scope.defer(() => database.end());
const host = scope.use(await startSourceHost());

const ports = [await freePort(), await freePort()];
const startJobs = () => startProcess('src/job-runner.ts', shared);
const jobs = [startJobs(), startJobs()];
scope.defer(async () => void (await Promise.all(jobs.map((process) => process.stop()))));
const apis = ports.map((port) => startProcess('src/api-server.ts', { ...shared, API_PORT: String(port) }));
scope.defer(async () => void (await Promise.all(apis.map((process) => process.stop()))));
for (const [i, port] of ports.entries()) await serves(apis[i]!, addressesOf(port, 0).apiUrl);

async function killJobs(i: number): Promise<void> {
  jobs[i]!.kill('SIGKILL');
  await jobs[i]!.exited;
  jobs[i] = startJobs();
}

test('jobs processes are killed while runs are due', async () => {
  const customers = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => createCustomer({ dataDir, dns, ...addressesOf(ports[0]!, 0) })),
  );
  for (const [c, customer] of customers.entries()) {
    const { id } = await customer.verifiedDomain();
    for (let s = 0; s < SITEMAPS; s++) {
      const path = `/${c}-${s}.xml`;
      host.objects.set(path, sitemapOf(`https://www.example.com${path}`));
      const set = await customer.call(`PUT /api/domains/${id}/sitemaps/s${s}/schedule`, {
        body: { cron: '0 6 * * *', load: { sources: [host.origin + path] } },
      });
      expect(set.status).toBe(200);
    }
  }
  const plannedIn = (round: number) => new Date(Date.UTC(2026, 0, 1 + round)).toISOString();
  for (let round = 0; round < ROUNDS; round++) {
    // The clock of the database has passed the time of all of them.
    await database.query('UPDATE schedules SET planned_at = $1, due_at = now(), fence = fence + 1', [
      plannedIn(round),
    ]);
    const killed = round % 2;
    await delay(50 * round);
    await killJobs(killed);
    await vi.waitFor(async () => {
      const { rows } = await database.query(
        'SELECT count(*)::integer AS ended FROM schedule_runs WHERE planned_at = $1 AND ended_at IS NOT NULL',
        [plannedIn(round)],
      );
      expect(rows[0].ended).toBe(ACCOUNTS * SITEMAPS);
    }, SOON);
  }
  const { rows } = await database.query(
    `SELECT planned_at, outcome, count(*)::integer AS runs, count(DISTINCT schedule_id)::integer AS schedules
       FROM schedule_runs GROUP BY 1, 2 ORDER BY 1`,
  );
  const all = ACCOUNTS * SITEMAPS;
  expect(rows).toEqual(
    Array.from({ length: ROUNDS }, (_, round) => ({
      planned_at: new Date(plannedIn(round)),
      outcome: round === 0 ? 'published' : 'unchanged',
      runs: all,
      schedules: all,
    })),
  );
  // An account has two loads at once at most, and none is left.
  const left = await database.query('SELECT count(*)::integer AS loads FROM loads WHERE ended_at IS NULL');
  expect(left.rows[0].loads).toBe(0);
});
