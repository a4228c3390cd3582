/**
 * What the beginning of a file shows, before anything is sent: its form, its first entries, and plain
 * mistakes.
 */
import { FORM_NAMES, type UploadForm } from '../file-form.ts';
import { csvEntries } from './csv-entries.ts';
import type { FirstEntries } from './first-entries.ts';
import { jsonEntries } from './json-entries.ts';
import { ndjsonEntries, textEntries } from './line-entries.ts';
import { formOfText } from './text-form.ts';
import { xmlEntries } from './xml-entries.ts';

/** The first bytes of a file, decompressed. */
export interface FileHead {
  readonly bytes: Uint8Array;
  /** There is nothing behind them. */
  readonly isWhole: boolean;
}

export interface Preview extends FirstEntries {
  /** Undefined if nothing tells it. */
  readonly form: UploadForm | undefined;
  /** Why it is not the form of the name. */
  readonly note?: string;
}

const READERS: Readonly<Record<UploadForm, (text: string, isWhole: boolean) => FirstEntries>> = {
  csv: csvEntries,
  text: textEntries,
  ndjson: ndjsonEntries,
  json: jsonEntries,
  xml: xmlEntries,
};

/** `named`: the form of the name. `chosen`: that of the person, who knows best. */
export function previewOf(head: FileHead, named: UploadForm | undefined, chosen?: UploadForm): Preview {
  const wrongBytes = problemOfBytes(head);
  if (wrongBytes !== undefined) return without(chosen ?? named, wrongBytes);
  const text = textOf(head);
  if (text === undefined) {
    return without(chosen ?? named, 'The file is not in UTF-8. Save it again with the encoding UTF-8.');
  }
  const seen = formOfText(text, head.isWhole);
  const form = chosen ?? seen ?? named;
  if (form === undefined)
    return without(undefined, 'This does not look like a list of URLs. Choose its form.');
  const note = chosen === undefined && named !== undefined && named !== form ? noteOf(form) : undefined;
  return { form, ...READERS[form](text, head.isWhole), ...(note && { note }) };
}

const noteOf = (form: UploadForm) =>
  `The name of the file says something else, but it looks like this: ${FORM_NAMES[form]}.`;

function without(form: UploadForm | undefined, problem: string): Preview {
  return { form, columns: [], rows: [], problems: [problem] };
}

const SIGNATURES: readonly (readonly [readonly number[], string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'This is a ZIP file or a workbook of Excel. Save the list as CSV in UTF-8.'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'This is a workbook of Excel. Save the list as CSV in UTF-8.'],
  [[0x25, 0x50, 0x44, 0x46], 'This is a PDF. Save the list as CSV in UTF-8.'],
  [[0xff, 0xfe], 'The file is in UTF-16. Save it again with the encoding UTF-8.'],
  [[0xfe, 0xff], 'The file is in UTF-16. Save it again with the encoding UTF-8.'],
];

function problemOfBytes({ bytes }: FileHead): string | undefined {
  if (bytes.length === 0) return 'The file is empty.';
  const found = SIGNATURES.find(([start]) => start.every((byte, i) => bytes[i] === byte));
  if (found !== undefined) return found[1];
  // UTF-16 without its mark has a zero in every other byte.
  if (bytes.includes(0)) return 'The file is not text in UTF-8. Save it again with the encoding UTF-8.';
  return undefined;
}

/** Undefined if it is not UTF-8. The last character may be cut. */
function textOf({ bytes, isWhole }: FileHead): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}
