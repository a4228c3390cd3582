/** Prints a domain's DNS records beside the wanted ones, and the state of robots.txt on the hosts in its sitemaps. */
import type { Command } from 'commander';
import { createDiagnose } from '../features/domains/diagnose-domain.ts';
import type { Diagnosis } from '../features/domains/diagnosis.ts';
import { wantedRecords } from '../features/domains/dns-facts.ts';
import type { DomainSummary } from '../features/domains/domain.ts';
import type { PageHost } from '../features/page-hosts/page-host.ts';
import { listPageHosts } from '../features/page-hosts/page-host-store.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomains } from './get-domain.ts';
import { printPageHosts } from './page-host-command.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownTime } from './print-table.ts';

interface CheckedDomain {
  readonly domain: DomainSummary;
  readonly diagnosis: Diagnosis;
  readonly pageHosts: readonly PageHost[];
}

export function addDomainCheckCommand(domain: Command): void {
  domain
    .command('check')
    .description(
      'ask DNS for the records of a registered hostname, compare them, and list the hosts of its pages; changes nothing',
    )
    .argument('<hostname>')
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nAsks the resolvers in DNS_SERVERS, like the processes. Exit code 0 in any case.')
    .action(async (hostname: string, { account, json }: JsonOption & AccountOption) => {
      const checked = await withDatabase(async (database, _log, config) => {
        const domains = await getDomains(database, hostname, { ...(account && { account }) });
        const diagnose = createDiagnose(createLookUp(config.DNS_SERVERS));
        return Promise.all(
          domains.map(async (one) => ({
            domain: one,
            diagnosis: await diagnose(one.hostname, one.cnameTarget),
            pageHosts: await listPageHosts(database, one.id),
          })),
        );
      });
      if (json) printJson(checked.map(describeChecked));
      else checked.forEach(printChecked);
    });
}

function describeChecked({ domain, diagnosis, pageHosts }: CheckedDomain) {
  const { id, accountId, hostname, status } = domain;
  return { id, accountId, hostname, status, ...wantedRecords(domain), ...diagnosis, pageHosts };
}

function printChecked({ domain, diagnosis, pageHosts }: CheckedDomain): void {
  const { hostname, accountId, status, verifiedAt } = domain;
  const verified = verifiedAt === null ? '' : `, verified ${shownTime(verifiedAt)}`;
  print(`${hostname} of account ${accountId}: ${status}${verified}`);
  const { wanted, alternative } = wantedRecords(domain);
  const rows = [
    { ...wanted, what: 'wanted' },
    { ...alternative, what: 'or wanted, with addresses that lead here' },
    ...diagnosis.found.map((record) => ({ ...record, what: 'found' })),
  ];
  printTable(
    ['', 'type', 'name', 'value'],
    rows.map(({ what, type, name, value }) => [what, type, name, value]),
  );
  print(shownCaa(diagnosis));
  print(diagnosis.problem ?? 'The records are right.');
  if (pageHosts.length > 0) printPageHosts(pageHosts);
}

function shownCaa({ caa }: Diagnosis): string {
  if (caa.kind === 'none') return 'CAA: no record, so any certificate authority may issue.';
  if (caa.kind === 'failed')
    return `CAA: the lookup of ${caa.at} failed (${caa.reason}), so no authority issues.`;
  return `CAA: the records of ${caa.at} count.`;
}
