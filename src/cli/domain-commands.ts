/** The commands for domains of all accounts. */
import type { Command } from 'commander';
import { domainLife } from '../compose/domain-life.ts';
import { COMMAND_LINE } from '../features/accounts/actor.ts';
import { deleteAnyDomain, verifyByForce } from '../features/domains/change-any-domain.ts';
import { type DomainSummary, needsVerification } from '../features/domains/domain.ts';
import { listDomainSummaries } from '../features/domains/domain-store.ts';
import type { SitemapSummary } from '../features/uploads/list-sitemaps.ts';
import { pagesOf } from '../platform/pages-of.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase, withSites } from './connect.ts';
import { addDomainCheckCommand } from './domain-check-command.ts';
import { ACCOUNT_OPTION, type AccountOption, getAccount, getDomain } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { type ListOptions, limitOption, printList, withoutPosition } from './print-list.ts';
import { shownCount, shownTime } from './print-table.ts';
import { WHERE } from './site-commands.ts';
import { sitemapsOf } from './sitemap-commands.ts';
import { requireYes, UsageError } from './usage-error.ts';

const SITEMAPS_AT_ONCE = 1_000;

type ForceOptions = JsonOption & AccountOption & { readonly force?: boolean };
type YesOptions = JsonOption & AccountOption & { readonly yes?: boolean };

export function addDomainCommands(program: Command): void {
  const domain = program.command('domain').description('show, check, verify and delete domains');
  domain
    .command('list')
    .description('list domains, newest first')
    .option('--account <account-id>', 'only domains of this account')
    .option(...limitOption())
    .option(...JSON_OPTION)
    .action(({ account, ...options }: ListOptions & { account?: string }) =>
      withDatabase(async (database) => {
        if (account !== undefined) await getAccount(database, account);
        await printList<DomainSummary>(options, {
          read: (limit, last) => listDomainSummaries(database, account, limit, last?.position),
          head: ['hostname', 'account', 'status', 'URLs', 'files', 'stored bytes', 'last upload', 'created'],
          cellsOf: (one) => [
            one.hostname,
            one.accountId,
            one.status,
            ...[one.urlCount, one.sitemapCount, one.storedBytes].map(shownCount),
            shownTime(one.lastUpdated),
            shownTime(one.createdAt),
          ],
        });
      }),
    );
  domain
    .command('show')
    .description('show a domain and its sitemaps')
    .argument('<hostname>')
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .action((hostname: string, { json, ...account }: JsonOption & AccountOption) =>
      withDatabase(async (database) => {
        const found = await getDomain(database, hostname, account);
        const list = sitemapsOf(database, found.id);
        if (!json) {
          printDomain(found);
          return printList({}, list);
        }
        const sitemaps: SitemapSummary[] = [];
        for await (const page of pagesOf(list.read, SITEMAPS_AT_ONCE)) sitemaps.push(...page.map(list.show));
        return printJson({ ...withoutPosition(found), sitemaps });
      }),
    );
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
      const { found, verified, hasChanged } = await withSites(async ({ database, sites, log }) => {
        const found = await getDomain(database, given, account);
        const outcome = await verifyByForce({ database, ...domainLife(sites) }, COMMAND_LINE, found);
        const { id: domainId, accountId, hostname } = found;
        if (outcome.hasChanged) log.info({ domainId, accountId, hostname }, 'domain verified by force');
        return { found, ...outcome };
      });
      const { id, hostname, status, sslStatus, verifiedAt } = verified;
      if (json) return printJson({ id, hostname, status, sslStatus, verifiedAt, changed: hasChanged });
      if (needsVerification(found))
        return print(`${hostname} is verified without a DNS check, and its site is written.`);
      const unchecked = hasChanged ? ' Its DNS records are not checked any more.' : '';
      print(`${hostname} is already verified.${unchecked}`);
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

function printDomain(domain: DomainSummary): void {
  print(`${domain.hostname}  ${domain.id}`);
  print(`account ${domain.accountId}`);
  const verified = domain.verifiedAt === null ? '' : ` (verified ${shownTime(domain.verifiedAt)})`;
  print(`status ${domain.status}, certificate ${domain.sslStatus}${verified}`);
  if (domain.failure !== null) print(domain.failure);
  print(`created ${shownTime(domain.createdAt)}, CNAME target ${domain.cnameTarget}`);
  print(`stored bytes ${shownCount(domain.storedBytes)}`);
}
