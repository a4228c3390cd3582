/** Opens the operations of a delta that the command line names: URLs to remove, then entries, then operations. */
import { stat } from 'node:fs/promises';
import { chunksOfLines } from '../delta/chunks-of-lines.ts';
import { PORTION_LIMITS } from '../delta/cut-portions.ts';
import type { OnLine } from '../delta/move-lines.ts';
import { guessFromName, type UploadForm } from '../upload/form.ts';
import { badInput, badSetting } from '../waypost-error.ts';
import { checkReadable, isRegular, readFile, unchangedFile } from './read-file.ts';
import { checkLastLine, wholeLines } from './whole-lines.ts';

export interface OperationFiles {
  /** Paths of files of operations. */
  readonly files: readonly string[];
  /** The path of a file with a URL on each line. One of the paths may be `-` for standard input. */
  readonly remove?: string | undefined;
  /** The path of a file with an entry on each line. */
  readonly upsert?: string | undefined;
  readonly allowPartialLine?: boolean | undefined;
}

export interface OperationInput {
  /** An operation on each line, or a blank. */
  readonly lines: AsyncIterable<Uint8Array>;
  /** Undefined if a source is a stream, compressed or converted. */
  readonly totalBytes: number | undefined;
  /** Returns the file and the line in it for a line that was read. A single source needs no name. */
  readonly placeOf: (line: number) => OnLine;
}

interface Source {
  readonly name: string;
  /** The length of all operations, if it is known. */
  readonly bytes: number | undefined;
  open(): AsyncIterable<Uint8Array>;
  /** Makes an operation of a line. */
  readonly convert: (line: string) => string;
}

interface Start {
  readonly name: string;
  readonly linesBefore: number;
}

type Convert = Source['convert'];
const removal: Convert = (url) => JSON.stringify({ remove: url });
const upsertOf: Convert = (entry) => `{"upsert":${entry}}`;
const asItIs: Convert = (line) => line;

export async function openOperations(options: OperationFiles): Promise<OperationInput> {
  const { files, remove, upsert, allowPartialLine = false } = options;
  const named = [
    ...(remove === undefined ? [] : [{ path: remove, form: 'text', convert: removal } as const]),
    ...(upsert === undefined ? [] : [{ path: upsert, form: 'ndjson', convert: upsertOf } as const]),
    ...files.map((path) => ({ path, form: 'ndjson', convert: asItIs }) as const),
  ];
  if (named.length === 0) throw badSetting('Give files, - for standard input, --remove or --upsert.');
  if (named.filter(({ path }) => path === '-').length > 1)
    throw badSetting('Standard input can be read once.');
  const sources: Source[] = [];
  for (const { path, form, convert } of named) {
    const opened = path === '-' ? openInput(allowPartialLine) : await openFile(path, form, allowPartialLine);
    // An operation is longer than its line, so its length is not known.
    const bytes = convert === asItIs ? opened.bytes : undefined;
    sources.push({ ...opened, bytes, convert });
  }
  const starts: Start[] = [];
  return {
    lines: joinSources(sources, starts),
    totalBytes: sources.reduce<number | undefined>(
      (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
      0,
    ),
    placeOf(line) {
      const start = starts.filter(({ linesBefore }) => linesBefore < line).at(-1);
      if (start === undefined || sources.length === 1) return { line };
      return { line: line - start.linesBefore, file: start.name };
    },
  };
}

type Opened = Omit<Source, 'convert'>;

function openInput(allowPartialLine: boolean): Opened {
  return readOnce('Standard input', process.stdin, allowPartialLine);
}

function readOnce(name: string, source: AsyncIterable<Uint8Array>, allowPartialLine: boolean): Opened {
  return { name, bytes: undefined, open: () => (allowPartialLine ? source : wholeLines(source, name)) };
}

async function openFile(path: string, form: UploadForm, allowPartialLine: boolean): Promise<Opened> {
  const guess = guessFromName(path);
  if (guess.form !== undefined && guess.form !== form)
    throw badSetting(
      `${path} is ${guess.form}, but must be ${form === 'text' ? 'a URL' : 'JSON'} on each line.`,
    );
  // Node 20 has no zstd.
  if (guess.encoding === 'zstd') throw badSetting(`Send ${path} by: zstd -dc … | waypost delta -`);
  if (!(await isRegular(path))) return readOnce(path, readFile(path, guess.encoding), allowPartialLine);
  await checkReadable(path);
  const read = await unchangedFile(path, guess.encoding);
  if (guess.encoding === undefined && !allowPartialLine) await checkLastLine(path);
  const bytes = guess.encoding === undefined ? (await stat(path)).size : undefined;
  return { name: path, bytes, open: read };
}

/** Yields the lines of all sources. For each source that begins, adds its name and the number of lines before it to `starts`. */
async function* joinSources(sources: readonly Source[], starts: Start[]): AsyncGenerator<Uint8Array> {
  let count = 0;
  for (const { name, open, convert } of sources) {
    starts.push({ name, linesBefore: count });
    for await (const text of chunksOfLines(open(), PORTION_LIMITS.bytes)) {
      const lines = decode(text, name).split('\n');
      if (lines.at(-1) === '') lines.pop();
      count += lines.length;
      // `trim` also removes a byte order mark.
      const operations = lines.map((line) => line.trim()).map((line) => (line === '' ? '' : convert(line)));
      yield Buffer.from(`${operations.join('\n')}\n`);
    }
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(text: Uint8Array, name: string): string {
  try {
    return UTF_8.decode(text);
  } catch (error) {
    throw badInput(`${name} is not in UTF-8.`, error);
  }
}
