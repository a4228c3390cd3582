/** `waypost upload`. */
import { type Command, Option } from 'commander';
import type { Upload } from '../answers.ts';
import { type Input, openInput } from '../input/open-input.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import { ENCODINGS, type Encoding, UPLOAD_FORMS, type UploadForm } from '../upload/form.ts';
import type { UploadOptions } from '../upload/upload-options.ts';
import { badSetting } from '../waypost-error.ts';
import { addDialectOptions, withoutDefaultHeader } from './dialect-command-options.ts';
import {
  addConditionOptions,
  addThresholdOptions,
  checkThresholds,
  type GuardOptions,
  guardsOf,
} from './guard-options.ts';
import { parseCount } from './parse-option.ts';
import { printUpload } from './print-upload.ts';
import { startProgress } from './progress.ts';
import { saveRejects } from './save-rejects.ts';
import { type GlobalOptions, openSession, type Session } from './session.ts';
import { UPLOAD_EXAMPLES } from './upload-examples.ts';

const MAYBE_PUBLISHED =
  'The whole input was sent, so it may be published. See: waypost uploads, waypost sitemaps';

interface Options extends GlobalOptions, DialectOptions, GuardOptions {
  readonly domain?: string;
  readonly form?: UploadForm;
  readonly encoding?: Encoding;
  readonly sizeLimit?: UploadOptions['sizeLimit'];
  readonly gzip?: boolean;
  readonly from?: string;
  readonly expectEnd?: string;
  readonly allowPartialLine?: boolean;
  readonly dryRun?: boolean;
  readonly rejects?: string;
  readonly placement?: 'stable' | 'order';
  readonly spool: boolean;
}

export function addUploadCommand(program: Command): void {
  const upload = program
    .command('upload')
    .description('replace a sitemap by a list of URLs: whole, or not at all')
    .argument('[files...]', 'files in order, or - for standard input')
    .option('-d, --domain <hostname>', 'the domain; a JSON document may name it itself')
    .option('-n, --name <name>', 'name of the sitemap; without it, the unnamed one')
    .addOption(new Option('--form <form>', 'default: by the suffix of the file').choices(UPLOAD_FORMS))
    .addOption(new Option('--encoding <encoding>', 'how the input is compressed already').choices(ENCODINGS))
    .addOption(
      new Option('--size-limit <limit>', 'URLs in a file: 50,000, 10,000 or 1,000').choices([
        'standard',
        'balanced',
        'gsc-optimized',
      ]),
    )
    .addOption(
      new Option('--placement <placement>', 'where URLs go; default: as the domain says').choices([
        'stable',
        'order',
      ]),
    )
    .option('--gzip', 'compress on the way');
  addSourceOptions(upload);
  addGuardOptions(upload);
  addDialectOptions(upload);
  upload
    .addHelpText('after', UPLOAD_EXAMPLES)
    .action(async (files: string[], _options: object, command: Command) => {
      const options: Options = withoutDefaultHeader(command.optsWithGlobals<Options>());
      checkOptions(files, options);
      const session = await openSession(command);
      const input = await openInput({
        ...options,
        files,
        onSpoolFull: () => session.out.say('The temporary file is full: a lost connection ends this upload.'),
      });
      if (options.domain === undefined && input.form !== 'json')
        throw badSetting('Which domain? Give --domain.');
      const uploaded = await saveRejects(session, options.rejects, () => send(session, input, options));
      printUpload(session.out, uploaded);
    });
}

function addSourceOptions(upload: Command): void {
  upload
    .option('--from <command>', 'upload what a shell command writes; if it fails, nothing is published')
    .option('--expect-end <line>', 'for streams: the last line, which your producer writes after all others')
    .option('--allow-partial-line', 'accept a last line without an end')
    .option('--no-spool', 'keep no temporary file of a stream; then a lost connection ends the upload');
}

function addGuardOptions(upload: Command): void {
  upload
    .option('--expect <n>', 'publish only if there are exactly so many URLs', parseCount)
    .option('--dry-run', 'check everything, publish nothing');
  addThresholdOptions(upload).option(
    '--rejects <file>',
    'write the rejected entries there, a line of JSON each',
  );
  addConditionOptions(upload, 'publish');
}

function checkOptions(files: readonly string[], options: Options): void {
  if (options.apiKeyStdin && files.includes('-')) throw badSetting('Standard input has the key already.');
  if (options.gzip && options.encoding) throw badSetting('--gzip is for an input that is not compressed.');
  if (!options.dryRun) checkThresholds(options);
}

async function send({ waypost, out, signal }: Session, input: Input, options: Options): Promise<Upload> {
  const { domain, gzip, idempotencyKey, quiet = false } = options;
  if (gzip && input.encoding) throw badSetting('The input is compressed already: leave out --gzip.');
  const progress = startProgress(input.totalBytes, quiet);
  let isSent = false;
  async function* counted() {
    isSent = false;
    progress.begin();
    for await (const chunk of input.body.open()) {
      progress.add(chunk.length);
      yield chunk;
    }
    isSent = true;
  }
  try {
    const { form, encoding, body } = input;
    const content = { open: counted, canOpen: () => body.canOpen() };
    return await waypost.uploadBody(domain, content, {
      ...uploadOptions(options),
      form,
      encoding,
      gzip,
      idempotencyKey,
      signal,
    });
  } catch (error) {
    if (signal.aborted && isSent) out.say(MAYBE_PUBLISHED);
    throw error;
  } finally {
    progress.stop();
    await input.close();
  }
}

function uploadOptions(options: Options): UploadOptions {
  return { ...options, ...guardsOf(options) };
}
