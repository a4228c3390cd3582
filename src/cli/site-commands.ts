/** The commands that check the objects that hosting reads, and write them again. */
import type { Command } from 'commander';
import { COMMAND_LINE, nameOfOperator } from '../features/accounts/actor.ts';
import { collectFindings } from '../features/doctor/ask-examination.ts';
import { MAX_FINDINGS } from '../features/doctor/compare-objects.ts';
import { CURES, type Finding } from '../features/doctor/finding.ts';
import { findSiteDomain, listHostnames } from '../features/domains/served-domain-store.ts';
import { askRebuild } from '../features/sites/rebuild-all.ts';
import { listRebuilds } from '../features/sites/rebuild-store.ts';
import { canonicalHostname } from '../platform/dns/dns-name.ts';
import { newId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { pagesOf } from '../platform/pages-of.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print, printError } from '../platform/process/print.ts';
import { type OpenedSites, withDatabase, withSites } from './connect.ts';
import { printTable } from './print-table.ts';
import { noDomain, UsageError } from './usage-error.ts';

const PAGE = 500;
const SHOWN_REBUILDS = 10;

/** A part of the help of commands that read or write the object storage. */
export const WHERE = `
Needs the environment of the processes (DATABASE_URL, STORAGE_DIR or S3_…, PUBLIC_ORIGIN, KEEP_REPLACED_MS), or just
DATA_DIR next to an all in one. You can run it while the service runs.`;

export function addSiteCommands(program: Command): void {
  const site = program.command('site').description('rewrite the objects that hosting reads');
  site
    .command('rebuild')
    .description(
      'rewrite the site of a domain from the database, even if the object storage seems to have it',
    )
    .argument('[hostname]')
    .option('--all', 'all domains')
    .option('--by-jobs', 'with --all: have the jobs processes do it, and end at once')
    .addHelpText('after', WHERE)
    .action(async (hostname: string | undefined, { all = false, byJobs = false }: RebuildCommandOptions) => {
      if ((hostname === undefined) !== all) throw new UsageError('Give either a hostname or --all.');
      if (byJobs && !all) throw new UsageError('--by-jobs needs --all.');
      if (byJobs) return withDatabase(askJobs);
      await withSites((opened) =>
        hostname === undefined ? rebuildAll(opened) : rebuildOne(opened, hostname),
      );
    });

  site
    .command('rebuilds')
    .description('how far the rebuilds of all sites by the jobs processes are, the newest first')
    .action(() => withDatabase(printRebuilds));

  program
    .command('doctor')
    .description('compare the database with the object storage, and look for stuck jobs; changes nothing')
    .argument('[hostname]', 'only this domain')
    .addHelpText(
      'after',
      `
Finds files, indexes, listings and sites that the database refers to but that are missing or damaged; objects that
nothing refers to; sites that are older than the database; stuck jobs; and garbage that is not collected.

Exit codes: 0 all is well, 1 a problem was found or the check failed, 78 wrong command or settings.
${WHERE}`,
    )
    .action(async (hostname?: string) => {
      const isHealthy = await withSites((opened) => printExamination(opened, hostname), 0);
      process.exitCode = isHealthy ? 0 : 1;
    });
}

async function rebuildOne({ sites }: OpenedSites, given: string): Promise<void> {
  const hostname = canonicalHostname(given) ?? given;
  const outcome = await sites.rebuild(hostname);
  if (outcome === 'unknown') throw noDomain(hostname);
  if (outcome === 'written') print(`The site of ${hostname} is written again.`);
  else print(`${hostname} must not be served; whatever was left of its site is removed.`);
}

/** Writes all sites, also after one that fails. */
async function rebuildAll({ database, sites }: OpenedSites): Promise<void> {
  let [written, failed] = [0, 0];
  const pages = pagesOf<string>((limit, last = '') => listHostnames(database, last, limit), PAGE);
  for await (const page of pages) {
    for (const hostname of page) {
      try {
        if ((await sites.rebuild(hostname)) === 'written') written++;
      } catch (error) {
        failed++;
        printError(`${hostname}: ${error instanceof Error ? error.message : error}`);
      }
    }
    if (page.length === PAGE) printError(`${counted(written, 'site')} written again, up to ${page.at(-1)} …`);
  }
  print(`${counted(written, 'site')} written again${failed === 0 ? '' : `, and ${failed} failed`}.`);
  if (failed > 0) process.exitCode = 1;
}

interface RebuildCommandOptions {
  readonly all?: boolean;
  readonly byJobs?: boolean;
}

async function askJobs(database: Database): Promise<void> {
  const { id, sites } = await askRebuild({ database, newId }, nameOfOperator(COMMAND_LINE));
  print(
    `The jobs processes write ${counted(sites, 'site')} again: ${id}. "site rebuilds" says how far they are.`,
  );
}

async function printRebuilds(database: Database): Promise<void> {
  const rebuilds = await listRebuilds(database, SHOWN_REBUILDS);
  printTable(
    ['rebuild', 'asked', 'ended', 'sites', 'written', 'removed', 'failed', 'up to'],
    rebuilds.map((one) => [
      ...[one.id, isoSeconds(one.createdAt), one.endedAt === null ? '' : isoSeconds(one.endedAt)],
      ...[one.sites, one.written, one.removed, one.failed].map(String),
      one.endedAt === null ? one.after : '',
    ]),
  );
  for (const { hostname, reason } of rebuilds[0]?.failures ?? []) print(`${hostname}: ${reason}`);
}

/** Runs the doctor and prints its findings. Returns whether all is well. Throws UsageError for an unknown hostname. */
async function printExamination(opened: OpenedSites, given: string | undefined): Promise<boolean> {
  const hostname = given === undefined ? undefined : (canonicalHostname(given) ?? given);
  if (hostname !== undefined && (await findSiteDomain(opened.database, hostname)) === undefined) {
    throw noDomain(hostname);
  }
  const { sites, objects, counts, findings } = await collectFindings(opened, hostname, MAX_FINDINGS);
  if (findings.length > 0) {
    printTable(
      ['problem', 'domain', 'object or job', 'detail'],
      findings.map((one) => [one.problem, one.hostname, one.subject, one.detail]),
    );
  }
  const problems = Object.entries(counts) as [Finding['problem'], number][];
  for (const [problem, count] of problems) {
    const number = count >= MAX_FINDINGS ? `${count} or more` : String(count);
    print(`${problem}: ${number}. What helps: ${CURES[problem]}.`);
  }
  const examined = `${counted(sites, 'domain')} and ${counted(objects, 'object')} examined`;
  print(`${examined}: ${problems.length === 0 ? 'all is well.' : 'something is wrong.'}`);
  return problems.length === 0;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
