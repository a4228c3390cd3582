/** `waypost sitemaps`: lists and deletes the sitemaps of a domain, and sets how often they are uploaded. */
import type { Command } from 'commander';
import { allOf } from './all-of.ts';
import { parseCount } from './parse-option.ts';
import { openSession } from './session.ts';

/** Parses `off` or a number. The server checks the range of the number. */
const parseExpected = (text: string) => (text === 'off' ? null : parseCount(text));

export function addSitemapCommands(program: Command): void {
  const sitemaps = program
    .command('sitemaps')
    .description('list and delete the sitemaps of a domain, and say how often they are uploaded');
  sitemaps
    .command('list', { isDefault: true })
    .description('list the sitemaps of a domain (the default)')
    .argument('<domain>')
    .addHelpText('after', '\nExample:\n  $ waypost sitemaps sitemaps.example.com')
    .action(async (domain: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const head = ['NAME', 'URLS', 'FILES', 'STORED BYTES', 'LAST UPLOAD', 'ADDRESS'];
      out.printList(await allOf(waypost.listSitemaps(domain)), head, (one) => [
        one.name,
        one.urlCount,
        one.files,
        one.gzipBytes,
        one.lastUpdated,
        one.sitemapUrl,
      ]);
    });
  sitemaps
    .command('expect')
    .description('say how often a sitemap is uploaded; Waypost tells you when an upload is late')
    .argument('<domain>')
    .argument('<name>', 'default for the unnamed one')
    .argument('<hours>', 'at least every so many hours; off: no upload is expected', parseExpected)
    .addHelpText('after', '\nExample:\n  $ waypost sitemaps expect sitemaps.example.com default 24')
    .action(
      async (domain: string, name: string, hours: number | null, _options: object, command: Command) => {
        const { waypost, out } = await openSession(command);
        const sitemap = await waypost.expectUploads(domain, name, hours);
        out.printJson(sitemap);
        out.print(
          sitemap.freshUntil === null
            ? `No upload of ${name} is expected.`
            : `An upload of ${name} is expected every ${hours} h. The next one is due ${sitemap.freshUntil}.`,
        );
      },
    );
  sitemaps
    .command('delete')
    .description('delete a sitemap; the unnamed one is called default')
    .argument('<domain>')
    .argument('<name>')
    .requiredOption('--yes', 'confirm it')
    .action(async (domain: string, name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      await waypost.deleteSitemap(domain, name);
      out.printJson({ domain, name, deleted: true });
      out.print(`The sitemap ${name} of ${domain} is deleted.`);
    });
}
