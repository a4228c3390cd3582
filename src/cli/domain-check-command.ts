/** Shows the DNS records of a hostname beside the wanted ones, for support. */
import type { Command } from 'commander';
import { createDiagnose } from '../domains/diagnose-domain.ts';
import type { Diagnosis } from '../domains/diagnosis.ts';
import { wantedRecords } from '../domains/dns-facts.ts';
import type { DomainSummary } from '../domains/domain.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomains } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownTime } from './print-table.ts';

interface CheckedDomain {
  readonly domain: DomainSummary;
  readonly diagnosis: Diagnosis;
}

export function addDomainCheckCommand(domain: Command): void {
  domain
    .command('check')
    .description('ask DNS for the records of a registered hostname, and compare them; changes nothing')
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
          })),
        );
      });
      if (json) printJson(checked.map(describeChecked));
      else checked.forEach(printChecked);
    });
}

function describeChecked({ domain, diagnosis }: CheckedDomain) {
  const { id, accountId, hostname, status } = domain;
  return { id, accountId, hostname, status, ...wantedRecords(domain), ...diagnosis };
}

function printChecked({ domain, diagnosis }: CheckedDomain): void {
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
}

function shownCaa({ caa }: Diagnosis): string {
  if (caa.kind === 'none') return 'CAA: no record, so any certificate authority may issue.';
  if (caa.kind === 'failed')
    return `CAA: the lookup of ${caa.at} failed (${caa.reason}), so no authority issues.`;
  return `CAA: the records of ${caa.at} count.`;
}
