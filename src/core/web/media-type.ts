/** The `Content-Type` of a request (RFC 9110, section 8.3.1). */
import type { Request } from 'express';
import { shownValue } from '../../platform/shown-value.ts';
import { isUtf8Name } from '../../platform/utf8-text.ts';

export interface ContentType {
  /** The media type in lower case, as in `text/csv`. */
  readonly type: string;
  /** The parameters by name. Names are in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TYPE = /^[^\s;,/]+\/[^\s;,/]+$/;
const PARAMETER = /^([^\s=]+)=("?)([^\s"]*)\2$/;

/** Returns the type with its parameters. Undefined if the header is absent or malformed. */
export function contentTypeOf(request: Request): ContentType | undefined {
  const [type = '', ...given] = (request.get('content-type') ?? '').split(';').map((part) => part.trim());
  if (!TYPE.test(type)) return undefined;
  const parameters = new Map<string, string>();
  for (const part of given) {
    const [, name, , value] = PARAMETER.exec(part) ?? [];
    if (name !== undefined) parameters.set(name.toLowerCase(), value!);
    else if (part !== '') return undefined;
  }
  return { type: type.toLowerCase(), parameters };
}

/** Returns the type of text in UTF-8. Undefined if the header names another charset. */
export function mediaType(request: Request): string | undefined {
  const { type, parameters } = contentTypeOf(request) ?? {};
  return isUtf8Name(parameters?.get('charset') ?? 'utf-8') ? type : undefined;
}

/** Ends the sentence of a refusal: what was sent in place of the wanted type. */
export function butIs(request: Request): string {
  const given = request.get('content-type');
  return given === undefined || given === '' ? ' It is absent.' : ` It is ${String(shownValue(given))}.`;
}
