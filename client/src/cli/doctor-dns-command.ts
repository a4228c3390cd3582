/** `waypost doctor-dns`: asks DNS from this machine, and compares the answers with the records that the service wants. */
import { Resolver } from 'node:dns/promises';
import type { Command } from 'commander';
import { diagnoseRecords } from '../dns/diagnose-records.ts';
import { lookUpRecords } from '../dns/look-up-records.ts';
import { badSetting } from '../waypost-error.ts';
import { EXIT } from './exit-codes.ts';
import { openSession } from './session.ts';

export function addDoctorDnsCommand(program: Command): void {
  program
    .command('doctor-dns')
    .description(
      'ask DNS from here, compare with the wanted record, and say what to do; exit code 1 if it is wrong',
    )
    .argument('<domain>')
    .option('--resolver <address>', 'ask this DNS server, as in 1.1.1.1 or 127.0.0.1:5353')
    .addHelpText('after', '\nExample:\n  $ waypost doctor-dns sitemaps.example.com --resolver 1.1.1.1')
    .action(async (hostname: string, { resolver: address }: { resolver?: string }, command: Command) => {
      const resolver = createResolver(address);
      const { waypost, out } = await openSession(command);
      const { dns, hostname: name, status } = await waypost.getDomain(hostname);
      const records = await lookUpRecords(resolver, name, dns);
      const diagnosis = diagnoseRecords(dns, records);
      const { found, failures, isRight, advice } = diagnosis;
      out.printJson({
        hostname: name,
        status,
        wanted: dns.wanted,
        isRight,
        found,
        failures,
        advice,
        service: dns,
      });
      const rows = [
        ['wanted', dns.wanted.type, dns.wanted.name, dns.wanted.value],
        ...found.map(({ type, name, value }) => ['found', type, name, value]),
      ];
      out.printTable(['', 'TYPE', 'NAME', 'VALUE'], rows);
      for (const line of advice) out.print(line);
      if (dns.problem !== null) out.print(`The service saw at ${dns.checkedAt}: ${dns.problem}`);
      if (!isRight) process.exitCode = EXIT.refused;
    });
}

function createResolver(address: string | undefined): Resolver {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  try {
    if (address !== undefined) resolver.setServers([address]);
  } catch {
    throw badSetting(`${address} is not the address of a DNS server, such as 1.1.1.1 or 127.0.0.1:5353.`);
  }
  return resolver;
}
