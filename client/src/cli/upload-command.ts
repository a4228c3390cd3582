/** `waypost upload`: replaces a sitemap by a list of URLs. */
import type { Command } from 'commander';
import type { Upload } from '../answers.ts';
import type { Input } from '../input/open-input.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import type { UploadOptions } from '../upload/upload-options.ts';
import { badSetting } from '../waypost-error.ts';
import { addDialectOptions, withoutDefaultHeader } from './dialect-command-options.ts';
import {
  addConditionOptions,
  addListOptions,
  addThresholdOptions,
  checkThresholds,
  type GuardOptions,
  guardsOf,
} from './guard-options.ts';
import { parseCount } from './parse-option.ts';
import { printUpload } from './print-upload.ts';
import { saveRejects } from './save-rejects.ts';
import { sendInput } from './send-input.ts';
import { openSession, type Session } from './session.ts';
import {
  addFormOptions,
  addSourceOptions,
  checkSource,
  openSource,
  type SourceOptions,
} from './source-options.ts';
import { UPLOAD_EXAMPLES } from './upload-examples.ts';

const MAYBE_PUBLISHED =
  'The whole input was sent, so it may be published. See: waypost uploads, waypost sitemaps';

interface Options extends SourceOptions, DialectOptions, GuardOptions {
  readonly domain?: string;
  readonly sizeLimit?: UploadOptions['sizeLimit'];
  readonly dryRun?: boolean;
  readonly rejects?: string;
  readonly placement?: 'stable' | 'order';
}

export function addUploadCommand(program: Command): void {
  const upload = program
    .command('upload')
    .description('replace a sitemap by a list of URLs: whole, or not at all')
    .argument('[files...]', 'files in order, or - for standard input')
    .option('-d, --domain <hostname>', 'the domain; a JSON document may name it itself')
    .option('-n, --name <name>', 'name of the sitemap; without it, the unnamed one');
  addFormOptions(upload);
  addListOptions(upload);
  addSourceOptions(upload, 'upload');
  addGuardOptions(upload);
  addDialectOptions(upload);
  upload
    .addHelpText('after', UPLOAD_EXAMPLES)
    .action(async (files: string[], _options: object, command: Command) => {
      const options: Options = withoutDefaultHeader(command.optsWithGlobals<Options>());
      checkSource(files, options);
      if (!options.dryRun) checkThresholds(options);
      const session = await openSession(command);
      const input = await openSource(session, files, options);
      if (options.domain === undefined && input.form !== 'json')
        throw badSetting('Which domain? Give --domain.');
      const uploaded = await saveRejects(session, options.rejects, () => send(session, input, options));
      printUpload(session.out, uploaded);
    });
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

function send(session: Session, input: Input, options: Options): Promise<Upload> {
  return sendInput(session, input, { ...options, maybeDone: MAYBE_PUBLISHED }, (body, sent) =>
    session.waypost.uploadBody(options.domain, body, { ...uploadOptions(options), ...sent }),
  );
}

function uploadOptions(options: Options): UploadOptions {
  return { ...options, ...guardsOf(options) };
}
