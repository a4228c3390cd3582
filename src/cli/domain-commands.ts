/** The commands for domains of all accounts. */
import type { Command } from 'commander';
import { type DeleteDomainOptions, deleteDomain } from '../domains/delete-domain.ts';
import { type ChangeSite, type DomainSummary, needsVerification } from '../domains/domain.ts';
import { findRegisteredDomain, listDomainSummaries } from '../domains/domain-store.ts';
import { verifyUnchecked } from '../domains/verify-domain.ts';
import { canonicalHostname } from '../platform/dns/dns-name.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print } from '../platform/process/print.ts';
import { shownSitemapName } from '../sitemap/file-names.ts';
import { createChangeSite } from '../sites/change-site.ts';
import { addUploadsOfDomain } from '../sites/garbage-store.ts';
import { writeSite } from '../sites/write-site.ts';
import { listSitemaps, type SitemapSummary } from '../uploads/list-sitemaps.ts';
import { type SiteStore, withDatabase, withSites } from './connect.ts';
import { getAccount } from './get-account.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount, shownTime } from './print-table.ts';
import { WHERE } from './site-commands.ts';
import { noDomain, requireYes, UsageError } from './usage-error.ts';

const PAGE = 100;

export function addDomainCommands(program: Command): void {
  const domain = program.command('domain').description('show, verify and delete domains');
  domain
    .command('list')
    .description('list domains, newest first')
    .option('--account <account-id>', 'only domains of this account')
    .option(...JSON_OPTION)
    .action(async ({ account, json }: JsonOption & { account?: string }) => {
      const domains = await withDatabase(async (database) => {
        if (account !== undefined) await getAccount(database, account);
        return allDomains(database, account);
      });
      if (json) return printJson(domains.map(describeDomain));
      printTable(
        ['hostname', 'account', 'status', 'URLs', 'files', 'stored bytes', 'last upload', 'created'],
        domains.map((one) => [
          one.hostname,
          one.accountId,
          one.status,
          ...[one.urlCount, one.sitemapCount, one.storedBytes].map(shownCount),
          shownTime(one.lastUpdated),
          shownTime(one.createdAt),
        ]),
      );
    });
  domain
    .command('show')
    .description('show a domain and its sitemaps')
    .argument('<hostname>')
    .option(...JSON_OPTION)
    .action(async (hostname: string, { json }: JsonOption) => {
      const shown = await withDatabase(async (database) => {
        const found = await getDomain(database, hostname);
        return { found, sitemaps: await allSitemaps(database, found.id) };
      });
      if (json) printJson({ ...describeDomain(shown.found), sitemaps: shown.sitemaps });
      else printDomain(shown.found, shown.sitemaps);
    });
  domain
    .command('verify')
    .description('verify a domain without checking its CNAME record, for trials; it is served at once')
    .argument('<hostname>')
    .option(
      '--force',
      'confirm it; customers verify with POST /api/domains/:id/verify, which checks the record',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', WHERE)
    .action(async (given: string, { force, json }: JsonOption & { force?: boolean }) => {
      if (!force) throw new UsageError('This verifies without a DNS check. Add --force to confirm.');
      const { found, verified } = await withSites(async (sites, log) => {
        const found = await getDomain(sites.database, given);
        if (!needsVerification(found)) return { found };
        const verified = await verifyUnchecked({ changeSite: changeSiteOf(sites) }, found);
        if (verified === undefined) throw noDomain(found.hostname);
        const { id: domainId, accountId, hostname } = verified;
        log.info({ domainId, accountId, hostname }, 'domain verified by force');
        return { found, verified };
      });
      const { id, hostname, status, sslStatus, verifiedAt } = verified ?? found;
      if (json) printJson({ id, hostname, status, sslStatus, verifiedAt, changed: verified !== undefined });
      else if (verified === undefined) print(`${hostname} is already verified.`);
      else print(`${hostname} is verified without a DNS check, and its site is written.`);
    });
  domain
    .command('delete')
    .description('permanently delete a domain and all its sitemaps')
    .argument('<hostname>')
    .option('--yes', 'confirm the deletion')
    .option(...JSON_OPTION)
    .addHelpText('after', WHERE)
    .action(async (given: string, { yes, json }: JsonOption & { yes?: boolean }) => {
      requireYes(yes, `${given} and all its sitemaps`);
      const { id, hostname } = await withSites(async (sites, log) => {
        const found = await getDomain(sites.database, given);
        await deleteDomain(domainDeletion(sites), found);
        const { id: domainId, accountId, hostname } = found;
        log.info({ domainId, accountId, hostname }, 'domain deleted');
        return found;
      });
      if (json) printJson({ id, hostname, deleted: true });
      else print(`${hostname} and all its sitemaps are deleted.`);
    });
}

/** Deletes domains as the API does. */
export function domainDeletion(sites: SiteStore): DeleteDomainOptions {
  return {
    changeSite: changeSiteOf(sites),
    discardUploads: (transaction, domainId) =>
      addUploadsOfDomain(transaction, domainId, sites.keepReplacedMs),
  };
}

/** Throws UsageError. */
export async function getDomain(database: Database, given: string): Promise<DomainSummary> {
  const hostname = canonicalHostname(given) ?? given;
  const domain = await findRegisteredDomain(database, hostname);
  if (domain === undefined) throw noDomain(hostname);
  return domain;
}

function changeSiteOf(sites: SiteStore): ChangeSite {
  return createChangeSite({
    database: sites.database,
    writeSite: (hostname) => writeSite(sites, hostname),
  });
}

function allDomains(database: Database, accountId: string | undefined): Promise<DomainSummary[]> {
  return allPages(
    (before: number | undefined) => listDomainSummaries(database, accountId, PAGE, before),
    ({ position }) => position,
  );
}

async function allSitemaps(database: Database, domainId: string): Promise<SitemapSummary[]> {
  const sitemaps = await allPages(
    (after: string | undefined) => listSitemaps(database, domainId, PAGE, after),
    ({ name }) => name,
  );
  return sitemaps.map((one) => ({ ...one, name: shownSitemapName(one.name) }));
}

/** `read` returns the first PAGE rows after a position. */
async function allPages<Row, Position>(
  read: (after: Position | undefined) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Row[]> {
  const rows: Row[] = [];
  let page: Row[];
  do {
    page = await read(rows.length === 0 ? undefined : positionOf(rows.at(-1)!));
    rows.push(...page);
  } while (page.length === PAGE);
  return rows;
}

function describeDomain({ position: _position, ...domain }: DomainSummary) {
  return domain;
}

function printDomain(domain: DomainSummary, sitemaps: readonly SitemapSummary[]): void {
  print(`${domain.hostname}  ${domain.id}`);
  print(`account ${domain.accountId}`);
  const verified = domain.verifiedAt === null ? '' : ` (verified ${shownTime(domain.verifiedAt)})`;
  print(`status ${domain.status}, certificate ${domain.sslStatus}${verified}`);
  print(`created ${shownTime(domain.createdAt)}, CNAME target ${domain.cnameTarget}`);
  print(`stored bytes ${shownCount(domain.storedBytes)}`);
  printTable(
    ['sitemap', 'URLs', 'files', 'bytes', 'stored bytes', 'last upload'],
    sitemaps.map((one) => [
      one.name,
      ...[one.urlCount, one.fileCount, one.bytes, one.gzipBytes].map(shownCount),
      shownTime(one.lastUpdated),
    ]),
  );
}
