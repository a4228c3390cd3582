/** `waypost preview`: shows how the beginning of a file would be read, and the command to upload it. */
import { type Command, Option } from 'commander';
import type { Preview } from '../answers.ts';
import { readFile } from '../input/read-file.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import { ENCODINGS, type Encoding, guessFromName, UPLOAD_FORMS, type UploadForm } from '../upload/form.ts';
import { badSetting } from '../waypost-error.ts';
import { addDialectOptions, commandLineOf, quoted, withoutDefaultHeader } from './dialect-command-options.ts';
import { EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { openSession } from './session.ts';
import { shownViolations } from './shown-violations.ts';

/** The service takes at most this many bytes. */
const BEGINNING_BYTES = 64 * 1024;
/** The largest Parquet file with a preview: the service needs the whole file. */
const MAX_PARQUET_BYTES = 4 * 1024 * 1024;

interface Options extends DialectOptions {
  readonly form?: UploadForm;
  readonly encoding?: Encoding;
}

export function addPreviewCommand(program: Command): void {
  const command = program
    .command('preview')
    .description('show what the beginning of a file would become; publishes nothing')
    .argument('<file>', 'a file, or - for standard input')
    .addOption(new Option('--form <form>', 'default: by the suffix of the file').choices(UPLOAD_FORMS))
    .addOption(new Option('--encoding <encoding>', 'how the file is compressed').choices(ENCODINGS));
  addDialectOptions(command);
  command
    .addHelpText(
      'after',
      '\nExample:\n  $ waypost preview internal_all.csv\n  It prints the command that uploads the file.',
    )
    .action(async (file: string, given: Options, action: Command) => {
      const { form: givenForm, encoding: givenEncoding, ...dialect } = withoutDefaultHeader(given);
      const guess = guessFromName(file);
      const form = givenForm ?? guess.form;
      if (form === undefined) throw badSetting(`Which form does ${file} have? Give --form.`);
      const encoding = givenEncoding ?? guess.encoding;
      if (encoding === 'zstd') throw badSetting('Decompress it first: zstd -dc … | waypost preview -');
      const { waypost, out } = await openSession(action);
      const source = file === '-' ? process.stdin : readFile(file, encoding);
      const beginning = await (form === 'parquet' ? wholeFile(source) : firstBytes(source, BEGINNING_BYTES));
      const preview = await waypost.preview(beginning, { ...dialect, form });
      out.printJson(preview);
      printPreview(out, preview, { file, form: givenForm, encoding: givenEncoding, dialect });
      if (preview.refusal !== undefined || preview.rows.some(({ violations }) => violations.length > 0)) {
        process.exitCode = EXIT.refused;
      }
    });
}

/** Reads the whole file, because the end of a Parquet file says where its other parts are. */
async function wholeFile(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const bytes = await firstBytes(source, MAX_PARQUET_BYTES + 1);
  if (bytes.length <= MAX_PARQUET_BYTES) return bytes;
  throw badSetting('A Parquet file of more than 4 MiB has no preview. Try it with: waypost upload --dry-run');
}

async function firstBytes(source: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

interface Asked {
  readonly file: string;
  readonly form: UploadForm | undefined;
  readonly encoding: Encoding | undefined;
  readonly dialect: DialectOptions;
}

function printPreview(out: Output, preview: Preview, { file, form, encoding, dialect }: Asked): void {
  const { rows, refusal, header, suggestions, warnings } = preview;
  if (header !== undefined) out.print(`Columns: ${header.join(' | ')}`);
  const members = [...new Set(rows.flatMap(({ entry }) => Object.keys(entryOf(entry))))];
  if (rows.length > 0) {
    out.printTable(
      ['LINE', ...members.map((member) => member.toUpperCase())],
      rows.map(({ line, entry }) => [
        line ?? null,
        ...members.map((member) => cellOf(entryOf(entry)[member])),
      ]),
    );
  }
  if (refusal !== undefined) out.print(`Refused: ${refusal.message}`);
  const violations = rows.flatMap((row) => row.violations);
  for (const line of shownViolations(violations, violations.length)) out.print(`  ${line}`);
  for (const warning of warnings) out.say(warning);
  const suggested = { ...dialect, ...suggestions } as DialectOptions;
  const options = [
    ...(form === undefined ? [] : [` --form ${form}`]),
    ...(encoding === undefined ? [] : [` --encoding ${encoding}`]),
    commandLineOf(suggested),
  ].join('');
  const name = quoted(file);
  const isGuess = Object.keys(suggestions).length > 0;
  if (isGuess) {
    out.print(`\nThis may help. Look at it with preview first:\n  waypost preview ${name}${options}`);
    return;
  }
  // The same file with the same options would be refused again.
  if (refusal !== undefined) return;
  out.print(`\n${violations.length > 0 ? 'When that is corrected, upload it:' : 'To upload it:'}`);
  out.print(`  waypost upload ${name} --domain …${options}`);
}

function entryOf(entry: unknown): Record<string, unknown> {
  return typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {};
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
