/** `waypost schedule`: sets when Waypost loads a sitemap again, and lists, shows, pauses, runs and deletes these schedules. */
import { type Command, Option } from 'commander';
import type { Schedule, ScheduleSummary } from '../answers.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import { UPLOAD_FORMS, type UploadForm } from '../upload/form.ts';
import { allOf } from './all-of.ts';
import { addDialectOptions, collect, withoutDefaultHeader } from './dialect-command-options.ts';
import type { Output } from './output.ts';
import { openSession } from './session.ts';
import { addressOf } from './source-address.ts';

const NAME = ['[name]', 'the sitemap; without it, the unnamed one', 'default'] as const;

const EXAMPLES = `
Examples:
  $ waypost schedule set maps.example.com products --cron '0 6 * * *' --cron-timezone Europe/Berlin --source www.example.com
  $ waypost schedule set maps.example.com products --hook --source 's3://acme-exports/urls/*.csv.gz' --connection warehouse --form csv
  $ waypost schedule run maps.example.com products`;

interface SetOptions extends DialectOptions {
  readonly cron?: string;
  readonly cronTimezone?: string;
  readonly source: readonly string[];
  readonly connection?: string;
  readonly form?: UploadForm;
  readonly skipMissing?: boolean;
  readonly allowHost?: readonly string[];
  readonly ifChanged?: boolean;
  readonly hook?: boolean;
}

export function addScheduleCommands(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('say when a sitemap is loaded again by itself')
    .addHelpText('after', EXAMPLES);
  schedule
    .command('list')
    .description('list the schedules of a domain')
    .argument('<domain>')
    .action(async (domain: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const head = ['SITEMAP', 'WHEN', 'NEXT', 'STATE'];
      out.printList(await allOf(waypost.listSchedules(domain)), head, (one) => [
        one.sitemapName,
        one.words ?? 'by its hook',
        one.nextRuns[0] ?? '',
        stateOf(one),
      ]);
    });
  schedule
    .command('show')
    .description('show a schedule with its last runs')
    .argument('<domain>')
    .argument(...NAME)
    .action(async (domain: string, name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const found = await waypost.getSchedule(domain, name);
      out.printJson(found);
      printSchedule(out, found);
      out.printTable(
        ['BEGAN', 'CAUSE', 'OUTCOME', 'MORE'],
        found.runs.map((run) => [run.beganAt, run.cause, run.outcome ?? 'running', run.message ?? '']),
      );
    });
  addSetCommand(schedule);
  addVerbs(schedule);
}

function addSetCommand(schedule: Command): void {
  const set = schedule
    .command('set')
    .description('set the schedule of a sitemap, or replace it')
    .argument('<domain>')
    .argument(...NAME)
    .requiredOption(
      '-s, --source <address>',
      'what to load; a hostname alone is its robots.txt; may be repeated',
      collect,
    )
    .option('--cron <fields>', "minute, hour, day, month, day of the week, as in '0 6 * * *'")
    .option('--cron-timezone <name>', 'whose clock the times are on, as in Europe/Berlin; default: UTC')
    .option('--hook', 'also make an address that runs it, and print it: whoever knows it can run it')
    .option('--connection <name>', 'reads the sources in buckets')
    .addOption(new Option('--form <form>', 'of all lists; default: as each one says').choices(UPLOAD_FORMS))
    .option('--skip-missing', 'leave out sources and sitemaps that are not there')
    .option('--if-changed', 'read nothing if no object has changed')
    .option(
      '--allow-host <host>',
      'a host of another domain that an index may name; may be repeated',
      collect,
    );
  addDialectOptions(set);
  set.action(async (domain: string, name: string, _options: object, command: Command) => {
    const options = withoutDefaultHeader(command.optsWithGlobals<SetOptions>());
    const { waypost, out } = await openSession(command);
    const found = await waypost.setSchedule(domain, name, options.source.map(addressOf), {
      ...options,
      onMissing: options.skipMissing ? 'skip' : undefined,
      allowHosts: options.allowHost,
    });
    const hook = options.hook ? await waypost.makeScheduleHook(domain, name) : undefined;
    out.printJson({ ...found, ...(hook !== undefined && { hook: true, hookUrl: hook }) });
    printSchedule(out, found);
    if (hook !== undefined) out.print(`Hook: ${hook}`);
  });
}

function addVerbs(schedule: Command): void {
  const verb = (name: string, description: string) =>
    schedule
      .command(name)
      .description(description)
      .argument('<domain>')
      .argument(...NAME);
  const pausing = (name: string, description: string, enabled: boolean) =>
    verb(name, description).action(
      async (domain: string, sitemap: string, _options: object, command: Command) => {
        const { waypost, out } = await openSession(command);
        const found = await waypost.changeSchedule(domain, sitemap, { enabled });
        out.printJson(found);
        printSchedule(out, found);
      },
    );
  pausing('pause', 'stop its times and its hook', false);
  pausing('resume', 'let it run again', true);
  verb('run', 'run it now').action(
    async (domain: string, name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      out.printJson(await waypost.runSchedule(domain, name));
      out.print('It runs soon. See: waypost schedule show');
    },
  );
  verb('delete', 'delete it; the sitemap stays')
    .requiredOption('--yes', 'confirm it')
    .action(async (domain: string, name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      await waypost.deleteSchedule(domain, name);
      out.printJson({ deleted: true });
      out.print(`The schedule of ${name} is deleted.`);
    });
}

function printSchedule(out: Output, schedule: Schedule): void {
  out.print(`${schedule.sitemapName}: ${schedule.words ?? 'by its hook'}, ${stateOf(schedule)}`);
  for (const at of schedule.nextRuns) out.print(`  ${at}`);
}

function stateOf({ enabled, uploadId, waiting, failures }: ScheduleSummary): string {
  if (uploadId !== null) return 'loading';
  if (waiting) return 'waits for another load';
  if (!enabled) return 'paused';
  return failures === 0 ? 'on' : `failed ${failures} times in a row`;
}
