/** Finds the kind of an object by its first bytes, its name and its Content-Type. */
import { CONTENT_TYPES, UPLOAD_FORMS, type UploadForm } from '../forms/form.ts';

export type SourceKind = UploadForm | 'index' | 'html';

/** The number of bytes at the beginning of an object that are looked at. A comment before the root of a sitemap is shorter. */
export const LOOK_BYTES = 4096;

const SUFFIXES: Readonly<Record<string, UploadForm>> = {
  xml: 'xml',
  csv: 'csv',
  tsv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  jl: 'ndjson',
  json: 'json',
  txt: 'text',
  parquet: 'parquet',
};

/** Matches the text before the root of an XML document. */
const PROLOG = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype[^>[]*>)*/i;
const ROOT = /^<(?:[\w.-]+:)?([\w.-]+)/;

/** `head`: the first bytes, decompressed. `contentType`: as the host says it. `url`: the address that answered. */
export function kindOf(head: Buffer, url: string, contentType: string | undefined): SourceKind {
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet';
  const text = head.toString('utf8', 0, LOOK_BYTES).replace(/^\uFEFF/, '');
  const start = text.trimStart();
  if (start.startsWith('<')) {
    const root = ROOT.exec(start.replace(PROLOG, ''))?.[1]?.toLowerCase();
    if (root === 'sitemapindex') return 'index';
    return root === 'html' || /^<!doctype html/i.test(start) ? 'html' : 'xml';
  }
  const said = bySuffix(url) ?? byType(contentType) ?? byBrackets(start);
  return said === 'json' && isLines(start) ? 'ndjson' : said;
}

/** Databases write an object on each line, also into files that are named `.json`. Into a file without rows they write nothing. */
function isLines(start: string): boolean {
  const [line = ''] = start.split('\n', 1);
  if (line === '') return true;
  // A first line that is longer than `start` has no end here.
  const isWhole = line.length === start.length || line.trimEnd().endsWith('}');
  return line.startsWith('{') && isWhole && !/"urls"\s*:/.test(line);
}

function bySuffix(url: string): UploadForm | undefined {
  const [, suffix] = /\.(\w+?)(?:\.(?:gz|zst|br))?$/i.exec(new URL(url).pathname) ?? [];
  return suffix === undefined ? undefined : SUFFIXES[suffix.toLowerCase()];
}

function byType(contentType = ''): UploadForm | undefined {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  return UPLOAD_FORMS.find((form) => CONTENT_TYPES[form] === type);
}

/** A JSON object whose first member is `urls` is a whole document. Any other JSON object is the first line of NDJSON. */
function byBrackets(start: string): UploadForm {
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return /^\{\s*"urls"\s*:/.test(start) ? 'json' : 'ndjson';
  return 'text';
}
