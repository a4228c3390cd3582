/** The options of commands that send files, standard input, or the output of another command. */
import { type Command, Option } from 'commander';
import { type Input, openInput } from '../input/open-input.ts';
import { ENCODINGS, type Encoding, UPLOAD_FORMS, type UploadForm } from '../upload/form.ts';
import { badSetting } from '../waypost-error.ts';
import type { GlobalOptions, Session } from './session.ts';

export interface SourceOptions extends GlobalOptions {
  readonly form?: UploadForm;
  readonly encoding?: Encoding;
  readonly gzip?: boolean;
  readonly from?: string;
  readonly expectEnd?: string;
  readonly allowPartialLine?: boolean;
  readonly header?: boolean | undefined;
  readonly spool: boolean;
}

export function addFormOptions(command: Command): Command {
  return command
    .addOption(new Option('--form <form>', 'default: by the suffix of the file').choices(UPLOAD_FORMS))
    .addOption(new Option('--encoding <encoding>', 'how the input is compressed already').choices(ENCODINGS))
    .option('--gzip', 'compress on the way');
}

/** `does`: what the command does with the input. */
export function addSourceOptions(command: Command, does: string): Command {
  return command
    .option('--from <command>', `${does} what a shell command writes; if it fails, nothing happens`)
    .option('--expect-end <line>', 'for streams: the last line, which your producer writes after all others')
    .option('--allow-partial-line', 'accept a last line without an end')
    .option('--no-spool', 'keep no temporary file of a stream; then a lost connection ends it');
}

/** Throws WaypostError for options that exclude each other. */
export function checkSource(files: readonly string[], options: SourceOptions): void {
  if (options.apiKeyStdin && files.includes('-')) throw badSetting('Standard input has the key already.');
  if (options.gzip && options.encoding) throw badSetting('--gzip is for an input that is not compressed.');
}

export function openSource(
  { out }: Session,
  files: readonly string[],
  options: SourceOptions,
): Promise<Input> {
  return openInput({
    ...options,
    files,
    onSpoolFull: () => out.say('The temporary file is full: a lost connection ends what is sent.'),
  });
}
