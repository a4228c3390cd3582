/** `waypost domains`: lists, adds, verifies and deletes domains, and changes their settings. */
import { Argument, type Command, Option } from 'commander';
import type { DomainDetails, RegisteredDomain } from '../answers.ts';
import type { Placement } from '../client.ts';
import { badSetting } from '../waypost-error.ts';
import { allOf } from './all-of.ts';
import { EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { parseHours, parsePercent } from './parse-option.ts';
import { openSession } from './session.ts';

export function addDomainCommands(program: Command): void {
  const domains = program
    .command('domains')
    .description('list, add, verify, show, guard, place and delete domains');
  domains
    .command('list', { isDefault: true })
    .description('list your domains, newest first (the default)')
    .action(async (_options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const head = ['HOSTNAME', 'STATUS', 'CERTIFICATE', 'URLS', 'FILES', 'LAST UPLOAD'];
      out.printList(await allOf(waypost.listDomains()), head, (one) => [
        one.hostname,
        one.status,
        one.sslStatus,
        one.urlCount,
        one.sitemapCount,
        one.lastUpdated,
      ]);
    });
  domains
    .command('add')
    .description('register a hostname, and print the DNS record to make')
    .argument('<hostname>')
    .addHelpText('after', '\nExample:\n  $ waypost domains add sitemaps.example.com')
    .action(async (hostname: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const domain = await waypost.createDomain(hostname);
      out.printJson(domain);
      for (const warning of domain.warnings ?? []) out.say(`Warning: ${warning}`);
      printRecord(out, domain);
      out.print('Waypost looks for it each minute for an hour, then less often, and for 30 days in all.');
    });
  domains
    .command('verify')
    .description('look for the DNS record now; exit code 1 if it is not right')
    .argument('<domain>')
    .action(async (hostname: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const verification = await waypost.verifyDomain(hostname);
      out.printJson(verification);
      out.print(verification.message);
      if (['verified', 'active'].includes(verification.status)) return;
      out.say(`To see what DNS answers here: waypost doctor-dns ${hostname}`);
      process.exitCode = EXIT.refused;
    });
  addShowCommand(domains);
  addGuardCommand(domains);
  addPlacementCommand(domains);
  addRecentCommand(domains);
  domains
    .command('delete')
    .description('delete a domain and all its sitemaps, for good')
    .argument('<domain>')
    .requiredOption('--yes', 'confirm it')
    .action(async (hostname: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      await waypost.deleteDomain(hostname);
      out.printJson({ hostname, deleted: true });
      out.print(`${hostname} and all its sitemaps are deleted.`);
    });
}

function addShowCommand(domains: Command): void {
  domains
    .command('show')
    .description('show a domain: its records, certificate and guard')
    .argument('<domain>')
    .action(async (hostname: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const domain = await waypost.getDomain(hostname);
      out.printJson(domain);
      printRecord(out, domain);
      const { problem, checkedAt } = domain.dns;
      if (checkedAt === null) out.print('The record was not checked yet.');
      else out.print(problem ?? `The record was right at ${checkedAt}.`);
      if (domain.pendingUntil)
        out.print(`It is deleted at ${domain.pendingUntil}, unless it is verified by then.`);
      if (domain.message !== undefined) out.print(domain.message);
      const { certificate, guard } = domain;
      if (certificate?.lastError) out.print(`Certificate: ${certificate.lastError}`);
      else if (certificate?.notAfter)
        out.print(`Certificate: by ${certificate.issuer}, until ${certificate.notAfter}`);
      const percent = guard.maxRemovedPercent;
      if (percent !== null) out.print(`Guard: an upload that removes more than ${percent} % is held`);
    });
}

function addGuardCommand(domains: Command): void {
  domains
    .command('guard')
    .description('hold uploads that remove more than some percent of the URLs of a sitemap')
    .argument('<domain>')
    .addOption(new Option('--max-removed-percent <percent>', 'from 0 to 100').argParser(parsePercent))
    .addOption(new Option('--off', 'hold nothing').conflicts('maxRemovedPercent'))
    .addHelpText(
      'after',
      '\nExample:\n  $ waypost domains guard sitemaps.example.com --max-removed-percent 30',
    )
    .action(
      async (hostname: string, options: { maxRemovedPercent?: number; off?: true }, command: Command) => {
        const { maxRemovedPercent = null, off } = options;
        if (maxRemovedPercent === null && !off) throw badSetting('Give --max-removed-percent or --off.');
        const { waypost, out } = await openSession(command);
        const guard = maxRemovedPercent === null ? null : { maxRemovedPercent };
        out.printJson(await waypost.setGuard(hostname, guard));
        out.print(
          guard === null
            ? 'The guard is off.'
            : `Uploads that remove more than ${maxRemovedPercent} % are held.`,
        );
      },
    );
}

function addPlacementCommand(domains: Command): void {
  domains
    .command('placement')
    .description(
      'where uploads put URLs: in the file that each is in (stable), or as the list has them (order)',
    )
    .argument('<domain>')
    .addArgument(new Argument('<placement>').choices(['stable', 'order']))
    .addHelpText('after', '\nExample:\n  $ waypost domains placement sitemaps.example.com order')
    .action(async (hostname: string, placement: Placement, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      out.printJson(await waypost.setPlacement(hostname, placement));
      out.print(
        placement === 'stable'
          ? 'Uploads leave each URL in the file that it is in.'
          : 'Uploads write URLs in the order of the list.',
      );
    });
}

function addRecentCommand(domains: Command): void {
  domains
    .command('recent')
    .description('have a sitemap of recent changes, which crawlers read first')
    .argument('<domain>')
    .addArgument(new Argument('<state>').choices(['on', 'off']))
    .addOption(
      new Option('--hours <hours>', 'how long a change stays in it, from 1 to 168').argParser(parseHours),
    )
    .addHelpText('after', '\nExample:\n  $ waypost domains recent sitemaps.example.com on --hours 72')
    .action(async (asked: string, state: 'on' | 'off', options: { hours?: number }, command: Command) => {
      const { waypost, out } = await openSession(command);
      const domain = await waypost.setRecent(asked, { enabled: state === 'on', ...options });
      const { recent, hostname } = domain;
      out.printJson(domain);
      out.print(
        recent.enabled
          ? `https://${hostname}/sitemap-recent.xml lists what changed in the last ${recent.hours} h.`
          : 'There is no sitemap of recent changes.',
      );
    });
}

function printRecord(
  out: Output,
  { hostname, status, sslStatus, cnameTarget }: RegisteredDomain | DomainDetails,
): void {
  out.print(`${hostname}: ${status}, certificate ${sslStatus}`);
  out.print(`DNS record: ${hostname} CNAME ${cnameTarget}`);
}
