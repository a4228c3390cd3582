/** `waypost delta`: adds, changes and removes a few URLs of a sitemap. */
import { type Command, Option } from 'commander';
import type { AppliedDeltas, DeltaProgress } from '../client.ts';
import { moveLines } from '../delta/move-lines.ts';
import { type OperationInput, openOperations } from '../input/open-operations.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import { badSetting } from '../waypost-error.ts';
import { DELTA_EXAMPLES } from './delta-examples.ts';
import { addDateOptions } from './dialect-command-options.ts';
import { parseCount } from './parse-option.ts';
import { printDelta } from './print-delta.ts';
import { startProgress } from './progress.ts';
import { type GlobalOptions, openSession, type Session } from './session.ts';

const MAYBE_PUBLISHED = 'What was sent may be published. It does no harm to send it again.';

interface Options extends GlobalOptions, Pick<DialectOptions, 'timezone' | 'dates'> {
  readonly domain: string;
  readonly name?: string;
  readonly remove?: string;
  readonly upsert?: string;
  readonly allowPartialLine?: boolean;
  readonly gzip?: boolean;
  readonly dryRun?: boolean;
  readonly onMissing?: 'ignore' | 'fail';
  readonly force?: boolean;
  readonly ifGeneration?: number;
  readonly idempotencyKey?: string;
}

export function addDeltaCommand(program: Command): void {
  const delta = program
    .command('delta')
    .description('add, change and remove a few URLs of a sitemap, and leave all others')
    .argument('[files...]', 'files of operations, or - for standard input')
    .requiredOption('-d, --domain <hostname>', 'the domain')
    .option('-n, --name <name>', 'name of the sitemap, which must exist; without it, the unnamed one')
    .option('--remove <file>', 'remove these URLs: a URL on each line')
    .option('--upsert <file>', 'have these entries: an entry on each line, as JSON')
    .option('--allow-partial-line', 'accept a last line without an end')
    .option('--gzip', 'compress on the way')
    .option('--dry-run', 'say what would change, publish nothing')
    .addOption(
      new Option('--on-missing <action>', 'for URLs to remove that are not there; default: ignore').choices([
        'ignore',
        'fail',
      ]),
    )
    .option('--force', "publish in spite of the domain's guard")
    .option('--if-generation <n>', 'publish only if this is the live generation', parseCount)
    .option(
      '--idempotency-key <key>',
      'publish once, however often this command runs with the key within a day',
    );
  addDateOptions(delta)
    .addHelpText('after', DELTA_EXAMPLES)
    .action(async (files: string[], _options: object, command: Command) => {
      const options: Options = command.optsWithGlobals();
      const { remove, upsert } = options;
      if (options.apiKeyStdin && [...files, remove, upsert].includes('-'))
        throw badSetting('Standard input has the key already.');
      const session = await openSession(command);
      const input = await openOperations({ ...options, files });
      printDelta(session.out, await send(session, input, options));
    });
}

async function send(
  { waypost, out, signal }: Session,
  { lines, totalBytes, placeOf }: OperationInput,
  { name, quiet = false, domain, dryRun, ...options }: Options,
): Promise<AppliedDeltas> {
  const progress = startProgress(totalBytes, quiet);
  let published: DeltaProgress | undefined;
  progress.begin();
  const sent = waypost.deltaStream(domain, lines, {
    ...options,
    sitemapName: name,
    dryRun,
    signal,
    onPortion(portion) {
      if (!dryRun) published = portion;
      progress.add(portion.bytes);
    },
  });
  try {
    return await sent.finally(() => progress.stop());
  } catch (error) {
    if (published !== undefined) out.say(saidOf(published));
    if (signal.aborted && !dryRun) out.say(MAYBE_PUBLISHED);
    throw moveLines(error, ({ line, ...others }) => ({ ...others, ...placeOf(line) }));
  }
}

function saidOf({ applied: { deltaIds, generation }, operations }: DeltaProgress): string {
  const deltas = deltaIds.length === 1 ? 'a delta' : `${deltaIds.length} deltas`;
  return `The first ${operations.toLocaleString('en-US')} operations are published, in ${deltas}: generation ${generation}.`;
}
