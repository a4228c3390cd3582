/** The life of domains over a real database, a folder storage and a real DNS server. Time passes in the database. */
import { afterAll } from 'vitest';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { findDomain } from '../../src/features/domains/domain-store.ts';
import { createCheckQueue, type RecheckDomainsOptions } from '../../src/features/domains/recheck-domains.ts';
import { verifyDomain } from '../../src/features/domains/verify-domain.ts';
import { endGenerations } from '../../src/features/sites/garbage-store.ts';
import { readSite } from '../../src/features/sites/read-site.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { collectLog } from '../support/collect-log.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

export async function createLifeFixture() {
  const fixture = await createUploadFixture();
  const dns = await startDnsServer();
  afterAll(() => dns[Symbol.asyncDispose]());
  const { database, storage } = fixture;
  const log = collectLog();
  /** Ids of domains, in the order of the calls. */
  const verified: string[] = [];
  const unserved: string[] = [];
  // The pace has a test of its own.
  await database.query('UPDATE paces SET per_second = 1e6, tokens = 1e6');
  const options = {
    database,
    log,
    lookUp: createLookUp([dns.address]),
    diagnose: createDiagnose(createLookUp([dns.address])),
    diagnosisTurns: new Turns(20),
    openChange: fixture.options.openChange,
    discardUploads: (transaction: Parameters<typeof endGenerations>[0], id: string) =>
      endGenerations(transaction, { domainId: id }, DAY_MS),
    onVerified: async (_transaction: unknown, { id }: Domain) => void verified.push(id),
    onUnserved: async (_transaction: unknown, { id }: Domain) => void unserved.push(id),
  };
  return {
    ...fixture,
    dns,
    log,
    verified,
    unserved,
    life: options,
    point: ({ hostname }: Domain, cname: string) => void dns.answers.set(hostname, { cname }),
    verify: (domain: Domain) => verifyDomain(options, domain),
    sweep: (changed: Partial<typeof options> = {}) => checkAll({ ...options, ...changed }),
    site: (hostname: string) => readSite(storage, hostname),
    async find({ id }: Pick<Domain, 'id'>): Promise<Domain> {
      return (await findDomain(database, id))!;
    },
    /** Returns the watch of a domain, with ages in minutes. */
    async watch({ id }: Pick<Domain, 'id'>) {
      const { rows } = await database.query<{ next: number | null; wrong: number; moved: number | null }>(
        `SELECT (extract(epoch FROM check_at - now()) / 60)::float8 AS next, wrong_checks AS wrong,
                (extract(epoch FROM now() - moved_at) / 60)::float8 AS moved FROM domains WHERE id = $1`,
        [id],
      );
      return rows[0]!;
    },
    /** Lets time pass for a domain: moves all its times back. */
    async pass({ id }: Pick<Domain, 'id'>, minutes: number): Promise<void> {
      await database.query(
        `UPDATE domains SET created_at = created_at - $2 * interval '1 minute', checked_at = checked_at - $2 * interval '1 minute',
                check_at = check_at - $2 * interval '1 minute', wrong_at = wrong_at - $2 * interval '1 minute',
                moved_at = moved_at - $2 * interval '1 minute' WHERE id = $1`,
        [id, minutes],
      );
    },
  };
}

/** Runs all due checks, like the jobs. */
export async function checkAll(options: RecheckDomainsOptions): Promise<void> {
  const { take, work, atOnce } = createCheckQueue(options);
  for (;;) {
    const due = await take(atOnce);
    if (due.length === 0) return;
    await Promise.all(due.map((domain) => work(domain, new AbortController().signal)));
  }
}
