/** `waypost sitemaps`. */
import type { Command } from 'commander';
import { allOf } from './all-of.ts';
import { openSession } from './session.ts';

export function addSitemapCommands(program: Command): void {
  const sitemaps = program.command('sitemaps').description('list and delete the sitemaps of a domain');
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
