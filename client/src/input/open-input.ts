/** Opens the input that the command line names: files, standard input, or the output of a command. */
import { stat } from 'node:fs/promises';
import type { RepeatableBody } from '../http/connection.ts';
import { type Encoding, guessFromName, hasLines, type UploadForm } from '../upload/form.ts';
import { repeatable } from '../upload/repeatable.ts';
import { badSetting } from '../waypost-error.ts';
import { joinFiles, type Part } from './join-files.ts';
import { checkReadable, isRegular, readFile, unchangedFile } from './read-file.ts';
import { runProducer } from './run-producer.ts';
import { Spool } from './spool.ts';
import { type Charset, checkLastLine, untilEndLine, wholeLines } from './whole-lines.ts';

export interface InputOptions {
  /** Paths, or one `-` for standard input. */
  readonly files: readonly string[];
  /** A shell command that writes the input. */
  readonly from?: string | undefined;
  readonly form?: UploadForm | undefined;
  readonly encoding?: Encoding | undefined;
  readonly expectEnd?: string | undefined;
  readonly allowPartialLine?: boolean | undefined;
  /** False if CSV has no header. */
  readonly header?: boolean | undefined;
  /** The number of lines before the header of each CSV file. */
  readonly skipLines?: number | undefined;
  readonly quote?: 'none' | undefined;
  readonly charset?: Charset;
  /** Keeps a stream in a temporary file, for another attempt. */
  readonly spool: boolean;
  /** Called if the temporary file cannot be written. */
  readonly onSpoolFull: () => void;
}

export interface Input {
  readonly form: UploadForm;
  readonly encoding: Encoding | undefined;
  readonly body: RepeatableBody;
  /** Undefined for streams, and for several files if one of them is compressed. */
  readonly totalBytes: number | undefined;
  close(): Promise<void>;
}

export async function openInput(options: InputOptions): Promise<Input> {
  const { files, from, expectEnd } = options;
  if ((files.length === 0) === (from === undefined)) {
    throw badSetting('Give files, - for standard input, or --from with a command.');
  }
  const isStream = from !== undefined || files[0] === '-';
  if (expectEnd !== undefined && !isStream) throw badSetting('--expect-end is for - and --from.');
  if (isStream && files.length > 1) throw badSetting('Standard input cannot be joined with files.');
  if (from !== undefined) return openStream(options, runProducer(from), 'The output of --from');
  if (isStream) return openStream(options, process.stdin, 'Standard input');
  if (files.includes('-')) throw badSetting('Standard input cannot be joined with files.');
  for (const path of files) {
    if (await isRegular(path)) continue;
    // A pipe can be read once, as `<(…)` of a shell.
    if (files.length > 1) throw badSetting(`${path} is no regular file, so it can be sent alone only.`);
    const guess = guessFromName(path);
    const stream = {
      ...options,
      form: options.form ?? guess.form,
      encoding: options.encoding ?? guess.encoding,
    };
    return openStream(stream, readFile(path), path);
  }
  return openFiles(options);
}

function openStream(options: InputOptions, source: AsyncIterable<Uint8Array>, name: string): Input {
  const { form, encoding, spool, onSpoolFull } = options;
  if (form === undefined)
    throw badSetting('Which form? Give --form json, ndjson, csv, text, xml or parquet.');
  const whole = checkedStream(source, name, form, options);
  const stream = { form, encoding, totalBytes: undefined };
  if (!spool) return { ...stream, body: repeatable(whole, (bytes) => bytes), close: async () => {} };
  const body = new Spool(whole, onSpoolFull);
  return { ...stream, body, close: () => body.close() };
}

function checkedStream(
  source: AsyncIterable<Uint8Array>,
  name: string,
  form: UploadForm,
  { encoding, expectEnd, allowPartialLine, charset }: InputOptions,
): AsyncIterable<Uint8Array> {
  if (expectEnd !== undefined) {
    if (encoding !== undefined) throw badSetting('--expect-end needs an input that is not compressed.');
    return untilEndLine(source, expectEnd, name);
  }
  return hasOpenEnd(form, encoding) && !allowPartialLine ? wholeLines(source, name, charset) : source;
}

/** Whether a truncated input would look complete. Compressed inputs and other forms have an end, which the server checks. */
function hasOpenEnd(form: UploadForm, encoding: Encoding | undefined): boolean {
  return hasLines(form) && encoding === undefined;
}

async function openFiles(options: InputOptions): Promise<Input> {
  const guesses = options.files.map(guessFromName);
  const files = options.files.map((path, index) => ({
    path,
    form: options.form ?? guesses[index]!.form,
    encoding: options.encoding ?? guesses[index]!.encoding,
  }));
  const parts: Part[] = [];
  for (const { path, form, encoding } of files) {
    if (form === undefined) throw badSetting(`Which form does ${path} have? Give --form.`);
    if (form !== files[0]!.form)
      throw badSetting(`${path} is ${form}, but ${files[0]!.path} is ${files[0]!.form}.`);
    await checkReadable(path);
    // A single file is sent as it is.
    parts.push({ name: path, read: await unchangedFile(path, files.length > 1 ? encoding : undefined) });
    if (hasOpenEnd(form, encoding) && !options.allowPartialLine) await checkLastLine(path, options.charset);
  }
  const form = files[0]!.form!;
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  if (files.length === 1) {
    const body = { open: () => parts[0]!.read(), canOpen: () => true };
    return { form, encoding: files[0]!.encoding, totalBytes, body, close: async () => {} };
  }
  if (options.charset?.startsWith('utf-16')) throw badSetting('Files in UTF-16 can be sent alone only.');
  if (!hasLines(form)) throw badSetting(`Only forms with lines can be joined; ${form} needs one file.`);
  const zstd = files.find(({ encoding }) => encoding === 'zstd');
  // Node 20 has no zstd, and the decoder of newer versions loses frames.
  if (zstd)
    throw badSetting(`${zstd.path} can be sent alone only. Join them by: zstd -dc … | waypost upload -`);
  const isPlain = files.every(({ encoding }) => encoding === undefined);
  const beginning = {
    hasHeader: options.header !== false,
    hasQuotes: options.quote !== 'none',
    skipLines: options.skipLines ?? 0,
  };
  const body = {
    open: () => joinFiles(parts, form === 'csv' ? beginning : undefined),
    canOpen: () => true,
  };
  const known = isPlain ? totalBytes : undefined;
  return { form, encoding: undefined, body, totalBytes: known, close: async () => {} };
}
