/** The commands for domains of all accounts. */
import type { Command } from 'commander';
import { domainLife } from '../compose/domain-life.ts';
import { shownSitemapName } from '../core/sitemap/file-names.ts';
import { COMMAND_LINE } from '../features/accounts/actor.ts';
import { deleteAnyDomain, verifyByForce } from '../features/domains/change-any-domain.ts';
import { type DomainSummary, needsVerification } from '../features/domains/domain.ts';
import { listDomainSummaries } from '../features/domains/domain-store.ts';
import { listSitemaps, type SitemapSummary } from '../features/uploads/list-sitemaps.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase, withSites } from './connect.ts';
import { addDomainCheckCommand } from './domain-check-command.ts';
import { getAccount } from './get-account.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomain } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount, shownTime } from './print-table.ts';
import { WHERE } from './site-commands.ts';
import { requireYes, UsageError } from './usage-error.ts';

const PAGE = 100;

type ForceOptions = JsonOption & AccountOption & { readonly force?: boolean };
type YesOptions = JsonOption & AccountOption & { readonly yes?: boolean };

export function addDomainCommands(program: Command): void {
  const domain = program.command('domain').description('show, check, verify and delete domains');
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
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .action(async (hostname: string, { json, ...account }: JsonOption & AccountOption) => {
      const shown = await withDatabase(async (database) => {
        const found = await getDomain(database, hostname, account);
        return { found, sitemaps: await allSitemaps(database, found.id) };
      });
      if (json) printJson({ ...describeDomain(shown.found), sitemaps: shown.sitemaps });
      else printDomain(shown.found, shown.sitemaps);
    });
  addDomainCheckCommand(domain);
  domain
    .command('verify')
    .description('verify a domain without checking its CNAME record, for trials; it is served at once')
    .argument('<hostname>')
    .option(
      '--force',
      'confirm it; customers verify with POST /api/domains/:id/verify, which checks the record',
    )
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', WHERE)
    .action(async (given: string, { force, json, ...account }: ForceOptions) => {
      if (!force) throw new UsageError('This verifies without a DNS check. Add --force to confirm.');
      const { found, verified } = await withSites(async ({ database, sites, log }) => {
        const found = await getDomain(database, given, account);
        if (!needsVerification(found)) return { found };
        const verified = await verifyByForce(domainLife(sites), COMMAND_LINE, found);
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
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', WHERE)
    .action(async (given: string, { yes, json, ...account }: YesOptions) => {
      requireYes(yes, `${given} and all its sitemaps`);
      const { id, hostname } = await withSites(async ({ database, sites, log }) => {
        const found = await getDomain(database, given, account);
        const { id: domainId, accountId, hostname } = found;
        await deleteAnyDomain(domainLife(sites), COMMAND_LINE, found);
        log.info({ domainId, accountId, hostname }, 'domain deleted');
        return found;
      });
      if (json) printJson({ id, hostname, deleted: true });
      else print(`${hostname} and all its sitemaps are deleted.`);
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

/** Reads all pages. `read`: returns the first PAGE rows after a position. */
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
  if (domain.failure !== null) print(domain.failure);
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
