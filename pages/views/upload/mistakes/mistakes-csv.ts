/** Writes all mistakes as CSV, with their rows as they stand in the file. People mend the rows and upload them again. */
import type { Violation } from '../../../../client/src/answers.ts';
import { ApiError, reach } from '../../../api/request.ts';
import { cell, violationsCsv } from '../../../parts/violations-csv.ts';
import type { Encoding, UploadForm } from '../file-form.ts';
import type { Parameters } from '../reading.ts';
import { sayMistake } from './say-mistake.ts';

export interface RefusedFile {
  readonly file: File;
  readonly form: UploadForm;
  readonly encoding: Encoding | undefined;
  /** The name of the delimiter of a table. Undefined: it is not known. */
  readonly delimiter: string | undefined;
  readonly parameters: Parameters;
}

const SEPARATORS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
  'ctrl-a': '\u0001',
};
const STREAM_FORMATS: Readonly<Record<Encoding, string>> = { gzip: 'gzip', zstd: 'zstd', br: 'brotli' };

/** Returns all violations that the service has listed. Throws ApiError. */
export async function listRejects(uploadId: string): Promise<Violation[]> {
  const { status, text } = await reach(`uploads/${uploadId}/rejects`);
  if (status !== 200) {
    throw new ApiError(status, 'GONE', 'The list of mistakes is kept for a day. Upload the file again.');
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Violation);
}

/**
 * Returns the mistakes as CSV, each beside its row. If there is no file, or the file has no rows, the values of the violations stand for
 * the rows.
 */
export async function mistakesCsv(
  violations: readonly Violation[],
  source: RefusedFile | undefined,
): Promise<string> {
  const byLine = new Map<number, Violation[]>();
  for (const violation of violations) {
    if (violation.line === undefined) continue;
    byLine.set(violation.line, [...(byLine.get(violation.line) ?? []), violation]);
  }
  if (source === undefined || source.form === 'xml' || byLine.size === 0) return violationsCsv(violations);
  const isTable = source.form === 'csv';
  const separator = isTable ? SEPARATORS[source.delimiter ?? 'comma']! : ',';
  const hasHeader = isTable && source.parameters.header !== 'false';
  const { header, rows } = await originalRows(source, new Set(byLine.keys()), hasHeader);
  const lines = [...byLine].map(([line, found]) => [
    String(line),
    found.map(({ message, field }) => sayMistake(message, field).title).join('; '),
    rows.get(line) ?? '',
  ]);
  const written = [['row', 'mistake', hasHeader ? header : 'in your file'], ...lines].map(
    ([line, mistake, row]) =>
      // A row of a table keeps its cells. A line of another form becomes one cell.
      [line, cell(mistake!), isTable ? row : cell(row!)].join(separator),
  );
  // The mark tells Excel that this is UTF-8.
  return `\uFEFF${written.join('\r\n')}\r\n`;
}

/** Returns the wanted rows by the line at which they begin, from 1, and the header. A row of a table may have line breaks in quotes. */
async function originalRows(
  { file, form, encoding, parameters }: RefusedFile,
  wanted: ReadonlySet<number>,
  hasHeader: boolean,
): Promise<{ header: string; rows: ReadonlyMap<number, string> }> {
  const rows = new Map<number, string>();
  let header = '';
  let number = 0;
  let taken: { readonly at: number; readonly lines: string[] } | undefined;
  const isWhole = (text: string) => form !== 'csv' || text.split('"').length % 2 === 1;
  for await (const line of linesOf(file, encoding, parameters.charset)) {
    number++;
    const isHeader = header === '' && hasHeader && line.trim() !== '' && !/^"?sep=/i.test(line);
    if (taken === undefined && !isHeader && !wanted.has(number)) continue;
    taken ??= { at: isHeader ? 0 : number, lines: [] };
    taken.lines.push(line);
    const text = taken.lines.join('\n');
    if (!isWhole(text) && taken.lines.length < MAX_LINES) continue;
    if (taken.at === 0) header = text;
    else rows.set(taken.at, text);
    taken = undefined;
  }
  return { header, rows };
}

/** The most lines of a record. Otherwise, an open quote would take the rest of the file. */
const MAX_LINES = 100;

async function* linesOf(
  file: File,
  encoding: Encoding | undefined,
  charset: string | undefined,
): AsyncGenerator<string, void, undefined> {
  let stream: ReadableStream<Uint8Array<ArrayBuffer>> = file.stream();
  if (encoding !== undefined) {
    stream = stream.pipeThrough(new DecompressionStream(STREAM_FORMATS[encoding] as 'gzip'));
  }
  const mark = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const marked =
    mark[0] === 0xff && mark[1] === 0xfe
      ? 'utf-16le'
      : mark[0] === 0xfe && mark[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  const reader = stream.pipeThrough(new TextDecoderStream(charset ?? marked)).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}
