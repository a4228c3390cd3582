/** Reads the `Content-Type` of an upload's body: its form, and the parameters that say what those of the query say, too. */
import type { Request } from 'express';
import { butIs, contentTypeOf } from '../../core/web/media-type.ts';
import { CHARSETS } from '../../features/uploads/forms/dialect.ts';
import { CONTENT_TYPES, formOfType, type UploadForm } from '../../features/uploads/forms/form.ts';
import { Refusal } from '../../platform/refusal.ts';
import { isUtf8Name } from '../../platform/utf8-text.ts';

export interface BodyType {
  readonly form: UploadForm;
  /** The query, with what only `Content-Type` says. */
  readonly query: Request['query'];
}

/** The forms that may have another charset than UTF-8. */
const WITH_CHARSET: readonly UploadForm[] = ['csv', 'ndjson', 'text'];
/** The charset that browsers read under this name (WHATWG Encoding). */
const ALIASES: Readonly<Record<string, string>> = { 'iso-8859-1': 'windows-1252', latin1: 'windows-1252' };

const COMPRESSED =
  ' Name the form of the list in it, as in text/csv, and the compression in Content-Encoding.';
/** What those can do whose program chose the type. */
const CURES: ReadonlyMap<string | undefined, string> = new Map([
  [
    'application/x-www-form-urlencoded',
    " curl -d and wget say so by themselves: name the type of the file, as -H 'Content-Type: text/csv' does.",
  ],
  [
    'multipart/form-data',
    ' Send the file alone, without a form around it, as curl --data-binary @FILE does.',
  ],
  ['application/gzip', COMPRESSED],
  ['application/x-gzip', COMPRESSED],
  ['application/zstd', COMPRESSED],
]);

/** Throws Refusal BAD_REQUEST. The query wins over `Content-Type`. */
export function readBodyType(request: Request): BodyType {
  const given = contentTypeOf(request);
  const form = formOfType(given?.type);
  if (given === undefined || form === undefined)
    throw refusal(request, `one of ${Object.values(CONTENT_TYPES).join(', ')}`, CURES.get(given?.type));
  const { parameters } = given;
  const query = { ...charsetOf(request, form, parameters), ...headerOf(form, parameters), ...request.query };
  return { form, query };
}

function charsetOf(request: Request, form: UploadForm, parameters: ReadonlyMap<string, string>) {
  const given = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (isUtf8Name(given) || form === 'parquet') return {};
  if (!WITH_CHARSET.includes(form)) throw refusal(request, `${CONTENT_TYPES[form]} in UTF-8`);
  // Without `charset`, a byte order mark tells which UTF-16 it is.
  if (given === 'utf-16') return {};
  const charset = ALIASES[given] ?? given;
  if (CHARSETS.some((known) => known === charset)) return { charset };
  throw refusal(request, `${CONTENT_TYPES[form]} with a charset of ${CHARSETS.join(', ')}`);
}

/** RFC 4180, section 3: whether the first line of CSV has the names of columns. */
function headerOf(form: UploadForm, parameters: ReadonlyMap<string, string>) {
  return form === 'csv' && parameters.get('header')?.toLowerCase() === 'absent' ? { header: 'false' } : {};
}

function refusal(request: Request, wanted: string, cure = ''): Refusal {
  return new Refusal('BAD_REQUEST', `Content-Type must be ${wanted}.${butIs(request)}${cure}`);
}
