/** Real jobs processes that are killed in the middle of a sweep. */
import { afterAll, expect, test } from 'vitest';
import type { Process } from '../../tools/start-command.ts';
import { PATIENT, startProcess } from '../service/support/processes.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const environment = {
  DATABASE_URL: url.reveal(),
  STORAGE_DIR: await createTemporaryFolder(),
  DNS_SERVERS: dns.address,
  LOG_LEVEL: 'warn',
  ...PATIENT,
};

async function startSweep(): Promise<Process> {
  return startProcess('src/job-runner.ts', environment);
}

async function countWhere(condition: string): Promise<number> {
  const { rows } = await database.query(`SELECT count(*) AS count FROM domains WHERE ${condition}`);
  return rows[0].count;
}

test('SIGKILL in the middle of a sweep loses no check and counts none twice', async () => {
  const account = await addAccount(database, 'enterprise');
  const domains = await Promise.all(Array.from({ length: 60 }, () => addVerifiedDomain(database, account)));
  // The first ones answer, the others keep the sweep waiting.
  for (const [n, { hostname }] of domains.entries()) {
    dns.answers.set(hostname, n < 5 ? { cname: 'elsewhere.example.net' } : 'silence');
  }
  await database.query("UPDATE domains SET check_at = now() - (100 - position) * interval '1 minute'");
  const killed = await startSweep();
  await expect.poll(() => countWhere('wrong_checks = 1')).toBeGreaterThan(0);
  killed.kill('SIGKILL');
  await killed.exited;

  expect(await countWhere('check_at <= now()')).toBeGreaterThanOrEqual(20);
  expect(await countWhere('checked_at IS NULL')).toBeGreaterThan(0);
  for (const { hostname } of domains) dns.answers.set(hostname, { cname: 'elsewhere.example.net' });
  // The checks that the killed process had taken become due.
  await database.query(
    "UPDATE domains SET check_at = check_at - interval '10 minutes' WHERE checked_at IS NULL",
  );
  const next = await startSweep();
  await expect.poll(() => countWhere('checked_at IS NULL')).toBe(0);
  await next.stop();
  expect(await countWhere('wrong_checks = 1')).toBe(60);
});
