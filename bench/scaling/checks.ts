/**
 * Measures the checks of DNS records: how many of them jobs processes do, and when a domain with wrong records fails if its checks come
 * late. The SQL and the look-ups are real, with a DNS server on this machine. Days pass by moving the times of the domain back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startWorkingOff } from '../../src/core/jobs/start-working-off.ts';
import { recordCheck } from '../../src/features/domains/check-store.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import { createCheckQueue, type RecheckDomainsOptions } from '../../src/features/domains/recheck-domains.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabasePool, type Database } from '../../src/platform/postgres/database.ts';
import { type CnameServer, startCnameServer } from '../../tools/demo/answer-cname.ts';
import type { Figure } from '../figures.ts';
import { descendantSeconds } from '../process-usage.ts';
import { startFilledPostgres } from './filled-postgres.ts';

const DOMAINS = 20_000;
const CHECKS = 4000;
const JOBS_PROCESSES = 2;
const GOAL_A_DAY = 2_000_000;
const DAY_S = 86_400;
const LATE_HOURS = [0, 0.25, 0.5, 1, 2, 6, 12, 18];
const WEEK_MINUTES = 7 * 24 * 60;
/** A domain with wrong records is checked each hour, and a check is at most a quarter of an hour late. */
const CHECK_MINUTES = 75;

interface Served {
  readonly id: string;
  readonly hostname: string;
  readonly cnameTarget: string;
}

export async function* benchChecks(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const domains = Math.max(200, Math.round(DOMAINS * scale));
  const { url } = await startFilledPostgres(scope, 'checks', {}, { domains });
  const database = createDatabasePool(url, 10, createLog('bench', 'warn'), 30_000);
  scope.defer(() => database.end());
  const dns = scope.use(await startCnameServer());
  const { rows } = await database.query<Served>(
    `SELECT id, hostname, cname_target AS "cnameTarget" FROM domains WHERE check_at IS NOT NULL ORDER BY id`,
  );
  for (const { hostname, cnameTarget } of rows) dns.point(hostname, cnameTarget);
  yield* throughput(database, dns, Math.min(rows.length, Math.max(100, Math.round(CHECKS * scale))));
  const [domain] = rows;
  dns.point(domain!.hostname, 'elsewhere.example.net');
  for (const late of LATE_HOURS) yield* lateness(database, dns, domain!, late);
}

/** All checks are due, as after an outage, and the pace of all processes allows any number. */
async function* throughput(database: Database, dns: CnameServer, checks: number): AsyncGenerator<Figure> {
  await database.query(
    `UPDATE domains SET check_at = now() - random() * interval '1 day' WHERE check_at IS NOT NULL`,
  );
  await database.query('UPDATE paces SET per_second = 1e6, tokens = 1e6, tokens_at = now()');
  const verdicts = new Map<string, number>();
  const enough = Promise.withResolvers<void>();
  let done = 0;
  const options: RecheckDomainsOptions = {
    database,
    diagnose: createDiagnose(createLookUp([dns.address])),
    openChange: () => Promise.reject(new Error('no domain fails')),
    onUnserved: async () => {},
    log: createLog('bench', 'warn'),
    checked: (verdict) => {
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      if (++done === checks) enough.resolve();
    },
  };
  const processorSeconds = async () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + (await descendantSeconds(process.pid));
  };
  const before = await processorSeconds();
  const startedAt = performance.now();
  const queues = Array.from({ length: JOBS_PROCESSES }, () =>
    startWorkingOff(createCheckQueue(options), { log: options.log }),
  );
  await Promise.race([enough.promise, delay(120_000, undefined, { ref: false })]);
  const seconds = (performance.now() - startedAt) / 1000;
  const processor = (await processorSeconds()) - before;
  const counted = done;
  await Promise.all(queues.map((queue) => queue.stop()));
  if (verdicts.get('right') !== done) throw new Error(`verdicts: ${JSON.stringify([...verdicts])}`);
  yield {
    name: `checks a day with the queues of ${JOBS_PROCESSES} jobs processes`,
    value: (counted / seconds) * DAY_S,
    unit: 'checks',
    goal: { atLeast: GOAL_A_DAY },
  };
  yield {
    name: 'processor time of a check, with Postgres and the DNS server',
    value: (1000 * processor) / counted,
    unit: 'ms',
  };
}

async function* lateness(
  database: Database,
  dns: CnameServer,
  { id, hostname, cnameTarget }: Served,
  lateHours: number,
): AsyncGenerator<Figure> {
  await database.query(
    'UPDATE domains SET wrong_checks = 0, wrong_at = NULL, wrong_since = NULL, moved_at = NULL WHERE id = $1',
    [id],
  );
  const diagnosis = await createDiagnose(createLookUp([dns.address]))(hostname, cnameTarget);
  if (diagnosis.verdict !== 'wrong') throw new Error(`the verdict is ${diagnosis.verdict}`);
  let at = 0;
  let movedAt: number | undefined;
  while (!(await recordCheck(database, id, diagnosis))) {
    const { rows } = await database.query<{ minutes: number; isMoved: boolean }>(
      `SELECT (extract(epoch FROM check_at - now()) / 60)::float8 AS minutes, moved_at IS NOT NULL AS "isMoved" FROM domains WHERE id = $1`,
      [id],
    );
    const { minutes, isMoved } = rows[0]!;
    if (isMoved) movedAt ??= at;
    const passed = minutes + 60 * lateHours;
    at += passed;
    await database.query(
      `UPDATE domains SET check_at = check_at - t.passed, checked_at = checked_at - t.passed, wrong_at = wrong_at - t.passed,
              wrong_since = wrong_since - t.passed, moved_at = moved_at - t.passed
         FROM (SELECT $2 * interval '1 minute' AS passed) AS t WHERE id = $1`,
      [id, passed],
    );
    if (at > 10 * WEEK_MINUTES) throw new Error('the domain does not fail');
  }
  const failedAfter = at - movedAt!;
  if (failedAfter < WEEK_MINUTES) throw new Error(`the domain fails after ${failedAfter} minutes`);
  const row = `each check ${lateHours} h late`;
  yield { row, name: 'moved after', value: movedAt! / 60, unit: 'h' };
  yield { row, name: 'failed after the move', value: failedAfter / 1440, unit: 'days' };
  const over = (failedAfter - WEEK_MINUTES) / (CHECK_MINUTES + 60 * lateHours);
  yield { row, name: 'beyond 7 days, in checks', value: over, unit: '', goal: { atMost: 1 } };
}
