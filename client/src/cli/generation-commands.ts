/** `waypost generations` and `waypost rollback`: list the generations of a sitemap, and bring a former one back. */
import type { Command } from 'commander';
import { allOf } from './all-of.ts';
import { parseCount } from './parse-option.ts';
import { printUpload } from './print-upload.ts';
import { openSession } from './session.ts';

const NAME = ['[name]', 'the sitemap; without it, the unnamed one', 'default'] as const;

export function addGenerationCommands(program: Command): void {
  program
    .command('generations')
    .description('list the generations of a sitemap, newest first')
    .argument('<domain>')
    .argument(...NAME)
    .action(async (domain: string, name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const head = ['GENERATION', 'PUBLISHED', 'BY', 'URLS', 'FILES', 'STATE'];
      out.printList(await allOf(waypost.listGenerations(domain, name)), head, (one) => [
        String(one.generation),
        one.publishedAt,
        one.restores === null ? one.kind : `rollback to ${one.restores}`,
        one.urlCount,
        one.filesGenerated,
        one.live ? 'live' : one.canRollBack ? 'kept' : 'gone',
      ]);
    });
  program
    .command('rollback')
    .description('bring the content of a former generation back, as a new generation')
    .argument('<domain>')
    .argument(...NAME)
    .requiredOption('--to <generation>', 'see: waypost generations', parseCount)
    .option('--if-generation <n>', 'only if this is the live generation', parseCount)
    .addHelpText(
      'after',
      `
Examples:
  $ waypost generations sitemaps.example.com products
  $ waypost rollback sitemaps.example.com products --to 41`,
    )
    .action(async (domain: string, name: string, options: RollbackOptions, command: Command) => {
      const { waypost, out } = await openSession(command);
      const { to: generation, ifGeneration } = options;
      const wanted = { generation, ...(ifGeneration !== undefined && { ifGeneration }) };
      printUpload(out, await waypost.rollback(domain, name, wanted));
    });
}

interface RollbackOptions {
  readonly to: number;
  readonly ifGeneration?: number;
}
