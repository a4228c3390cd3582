/** `waypost load`, also as `waypost import`: lets Waypost fetch lists of URLs or an existing sitemap, and waits for the end. */
import { type Command, Option } from 'commander';
import type { UploadAttempt } from '../answers.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import { UPLOAD_FORMS, type UploadForm } from '../upload/form.ts';
import { WaypostError } from '../waypost-error.ts';
import { addDialectOptions, collect, withoutDefaultHeader } from './dialect-command-options.ts';
import {
  addConditionOptions,
  addThresholdOptions,
  checkThresholds,
  type GuardOptions,
  guardsOf,
} from './guard-options.ts';
import { complain, shownBytes } from './output.ts';
import { parseCount } from './parse-option.ts';
import { counted, unchangedAt } from './print-upload.ts';
import { type GlobalOptions, openSession, type Session } from './session.ts';
import { addressOf } from './source-address.ts';
import { startStatus } from './status-line.ts';

const EXAMPLES = `
Examples:
  $ waypost import www.example.com --domain sitemaps.example.com             all that its robots.txt names
  $ waypost load https://www.example.com/sitemap_index.xml --domain sitemaps.example.com
  $ waypost load 's3://acme-exports/urls/*.csv.gz' --connection warehouse --domain sitemaps.example.com --form csv
  $ waypost load https://files.example.com/a.csv.gz https://files.example.com/b.csv.gz --domain sitemaps.example.com

Ctrl+C cancels the load.`;

const MAYBE_BEGUN = 'The load may have begun, and then goes on. See: waypost uploads';

interface Options extends GlobalOptions, DialectOptions, GuardOptions {
  readonly domain: string;
  readonly form?: UploadForm;
  readonly skipMissing?: boolean;
  readonly allowHost?: readonly string[];
  readonly wait: boolean;
}

export function addLoadCommand(program: Command): void {
  const load = program
    .command('load')
    .alias('import')
    .description('let Waypost fetch lists of URLs, or an existing sitemap with all its files')
    .argument('<sources...>', 'https:// or s3:// addresses; a hostname alone is its robots.txt')
    .requiredOption('-d, --domain <hostname>', 'the domain')
    .option('-n, --name <name>', 'name of the sitemap; without it, the unnamed one')
    .addOption(new Option('--form <form>', 'of all lists; default: as each one says').choices(UPLOAD_FORMS))
    .option('--connection <name>', 'reads s3:// sources; see waypost connections')
    .option('--if-changed', 'read nothing if the objects are those that the live sitemap was loaded from')
    .option('--skip-missing', 'leave out sources and sitemaps that are not there')
    .option(
      '--allow-host <host>',
      'a host of another domain that an index may name; may be repeated',
      collect,
    )
    .option('--expect <n>', 'publish only if there are exactly so many URLs', parseCount);
  addConditionOptions(addThresholdOptions(load), 'load').option(
    '--no-wait',
    'print the id and end; waypost uploads show has the progress',
  );
  addDialectOptions(load);
  load
    .addHelpText('after', EXAMPLES)
    .action(async (sources: string[], _options: object, command: Command) => {
      const options = withoutDefaultHeader(command.optsWithGlobals<Options>());
      checkThresholds(options);
      const session = await openSession(command);
      const { waypost, out, signal } = session;
      const asked = waypost.load(options.domain, sources.map(addressOf), {
        ...{ ...options, ...guardsOf(options) },
        onMissing: options.skipMissing ? 'skip' : undefined,
        allowHosts: options.allowHost,
      });
      const { uploadId } = await asked.catch((error) => {
        if (signal.aborted) out.say(MAYBE_BEGUN);
        throw error;
      });
      if (!options.wait) {
        out.printJson({ uploadId });
        return out.print(uploadId);
      }
      printEnded(session, await follow(session, uploadId, options.quiet ?? false));
    });
}

async function follow(
  { waypost, signal }: Session,
  uploadId: string,
  isQuiet: boolean,
): Promise<UploadAttempt> {
  const status = startStatus(isQuiet);
  try {
    return await waypost.waitForLoad(uploadId, {
      signal,
      onProgress: (attempt) => status.show(shown(attempt)),
    });
  } catch (error) {
    status.stop();
    // Send this request without the signal, which is aborted already.
    // A script that is quiet needs the id, too.
    const goesOn = () => complain(`The load goes on. Its outcome: waypost uploads show ${uploadId}`);
    const isOver = (failure: unknown) => failure instanceof WaypostError && failure.code === 'CONFLICT';
    if (!signal.aborted) goesOn();
    else await waypost.cancelLoad(uploadId).catch((failure) => (isOver(failure) ? undefined : goesOn()));
    throw error;
  } finally {
    status.stop();
  }
}

function shown({ load, urlCount }: UploadAttempt): string {
  if (load === null || load.objects.total === null) return 'Reading the sources …';
  const { objects, bytes, nextTryAt } = load;
  const parts = [
    `${objects.done + objects.skipped} of ${objects.total} objects`,
    `${urlCount.toLocaleString('en-US')} URLs`,
    `${shownBytes(bytes.done)}${bytes.total === null ? '' : ` of ${shownBytes(bytes.total)}`}`,
    ...(nextTryAt === null ? [] : [`a host is in trouble; trying again at ${nextTryAt}`]),
  ];
  return parts.join(', ');
}

function printEnded({ out }: Session, attempt: UploadAttempt): void {
  const { id, outcome, code, message, errors, errorCount, urlCount, generation, load } = attempt;
  if (outcome !== 'published' && outcome !== 'unchanged') {
    throw new WaypostError(code ?? 'FAILED', message ?? `The load ended: ${outcome}.`, {
      details: {
        ...(outcome === 'held' && { uploadId: id }),
        ...(errors.length > 0 && { errors, errorCount }),
      },
    });
  }
  out.printJson(attempt);
  const urls = counted(urlCount, 'URL');
  const from = `from ${counted(load?.objects.done ?? 0, 'object')}`;
  out.print(
    outcome === 'unchanged'
      ? `${unchangedAt(urlCount)}, generation ${generation}.`
      : `Published ${urls} ${from}, generation ${generation}.`,
  );
  if (load !== null && load.objects.skipped > 0)
    out.say(`${load.objects.skipped} were missing, and are left out.`);
  for (const warning of load?.warnings ?? []) out.say(warning);
  if (attempt.rejected > 0) out.say(`${attempt.rejected.toLocaleString('en-US')} entries were rejected.`);
}
