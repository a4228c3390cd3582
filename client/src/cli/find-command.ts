/** `waypost find`: tells where a URL is published. */
import type { Command } from 'commander';
import type { FoundUrl } from '../answers.ts';
import { EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { openSession } from './session.ts';

type FoundPlace = FoundUrl['places'][number];
type UrlDifference = FoundUrl['near'][number]['differences'][number];

interface FindCommandOptions {
  readonly domain?: string;
  readonly name?: string;
}

const WORDS: Readonly<Record<UrlDifference, string>> = {
  scheme: 'http or https',
  www: 'www',
  trailingSlash: 'slash at the end',
  letterCase: 'letter case',
  percentEncoding: 'percent-encoding',
};

export function addFindCommand(program: Command): void {
  program
    .command('find')
    .description('find a URL in your sitemaps; exit code 1 if it is in none')
    .argument('<url>')
    .option('--domain <hostname>', 'only in this domain')
    .option('--name <name>', 'only in sitemaps of this name; the unnamed one is called default')
    .addHelpText(
      'after',
      '\nExample:\n  $ waypost find https://www.example.com/shoes --domain sitemaps.example.com',
    )
    .action(async (url: string, { domain, name }: FindCommandOptions, command: Command) => {
      const { waypost, out } = await openSession(command);
      const found = await waypost.find(url, { domain, sitemapName: name });
      out.printJson(found);
      printFound(out, found);
      if (!found.found) process.exitCode = EXIT.refused;
    });
}

function printFound(out: Output, { url, places, near, removed, hasMore, complete, ...left }: FoundUrl): void {
  if (places.length > 0) {
    out.printTable(['DOMAIN', 'SITEMAP', 'GENERATION', 'FILE', 'LASTMOD OF THE FILE'], places.map(cellsOf));
    for (const place of places) {
      out.print(`\n${places.length > 1 ? `${place.file.url}\n` : ''}${place.entry}`);
      printPast(out, place);
    }
  } else {
    out.print(`${url} is in no sitemap${complete ? '' : ' that was searched'}.`);
    if (removed) {
      const { generation, sitemapName, domain, publishedAt, by } = removed;
      out.print(
        `Generation ${generation} of ${sitemapName} on ${domain} removed it, ${publishedAt}${byOf(by)}.`,
      );
    }
  }
  if (near.length > 0) {
    out.print('\nThese differ a little:');
    const rows = near.map((one) => [one.loc, one.differences.map(wordsOf).join(', '), ...cellsOf(one)]);
    out.printTable(
      ['URL', 'DIFFERENCE', 'DOMAIN', 'SITEMAP', 'GENERATION', 'FILE', 'LASTMOD OF THE FILE'],
      rows,
    );
  }
  if (hasMore) out.say('There are more. Name a domain or a sitemap to see fewer.');
  if (complete) return;
  // An older server does not say how many cannot be read.
  const { filesLeft, filesUnreadable = 0, sitemapsLeft } = left;
  if (filesUnreadable > 0) out.say(`Files that cannot be read, missing or damaged: ${filesUnreadable}.`);
  const waiting = filesLeft - filesUnreadable;
  if (waiting + sitemapsLeft > 0) {
    out.say(
      `${waiting} files and ${sitemapsLeft} sitemaps were not searched. Name a domain or a sitemap, or try later.`,
    );
  }
}

/** An older server sends no `added`, `changed` or `visits`. */
function printPast(out: Output, { added, changed, visits = [] }: Partial<FoundPlace>): void {
  for (const [word, past] of [
    ['Added', added],
    ['Changed', changed],
  ] as const) {
    if (past) out.print(`${word} by generation ${past.generation}, ${past.publishedAt}${byOf(past.by)}.`);
  }
  const [last] = visits;
  if (last)
    out.print(`Its file was last fetched by ${last.crawler}, ${last.lastVisitAt}, with ${last.status}.`);
}

const byOf = (name: string | null) => (name === null ? '' : `, by ${name}`);

const cellsOf = ({
  domain,
  sitemapName,
  generation,
  file,
}: Pick<FoundPlace, 'domain' | 'sitemapName' | 'generation' | 'file'>) => [
  domain,
  sitemapName,
  String(generation),
  file.url,
  file.lastmod,
];

/** A newer server may send differences that this version does not know. */
const wordsOf = (difference: UrlDifference) => WORDS[difference] ?? difference;
