/** The first entries of a JSON document, and its other members as far as the preview reaches. */
import { type FirstEntries, SHOWN_ENTRIES } from './first-entries.ts';
import { isObject, type JsonObject, tableOf } from './object-entries.ts';

export function jsonEntries(text: string): FirstEntries {
  const start = skipBlanks(text, 0);
  const nothing = { columns: [], rows: [] };
  if (text[start] === '[') {
    return { ...nothing, problems: ['The list must stand in an object: {"urls": [ … ]}.'] };
  }
  if (text[start] !== '{') {
    return { ...nothing, problems: ['A JSON document must be an object: {"urls": [ … ]}.'] };
  }
  try {
    return entriesOf(readMembers(text, start + 1));
  } catch (error) {
    if (error instanceof SyntaxError) return { ...nothing, problems: ['This is not JSON.'] };
    throw error;
  }
}

interface Document {
  readonly members: Readonly<Record<string, unknown>>;
  /** The first ones. Undefined: they are not in the preview. */
  readonly urls: readonly unknown[] | undefined;
  readonly isWhole: boolean;
}

function entriesOf({ members, urls, isWhole }: Document): FirstEntries {
  const objects = urls?.filter(isObject) ?? [];
  return { ...tableOf(objects), members, problems: problemsOf(urls, objects, isWhole) };
}

function problemsOf(
  urls: readonly unknown[] | undefined,
  objects: readonly JsonObject[],
  isWhole: boolean,
): string[] {
  if (urls === undefined) return isWhole ? ['The document has no list “urls”.'] : [];
  if (objects.length < urls.length) return ['Each URL must be an object, as in {"loc": "https://…"}.'];
  const index = objects.findIndex((entry) => !('loc' in entry));
  return index < 0 ? [] : [`Entry ${index + 1} has no “loc”.`];
}

/** `from`: behind the bracket. Throws SyntaxError. */
function readMembers(text: string, from: number): Document {
  const members: Record<string, unknown> = {};
  let urls: unknown[] | undefined;
  let at = skipBlanks(text, from);
  while (at < text.length && text[at] !== '}') {
    if (text[at] !== '"') throw new SyntaxError('a member without a name');
    const afterName = endOfValue(text, at);
    const colon = skipBlanks(text, afterName);
    const value = skipBlanks(text, colon + 1);
    if (value >= text.length) break;
    const name = JSON.parse(text.slice(at, afterName));
    if (text[colon] !== ':') throw new SyntaxError('a name without a value');
    const end = endOfValue(text, value);
    if (name === 'urls' && text[value] === '[') urls = firstElements(text, value + 1);
    else if (end < text.length) members[name] = JSON.parse(text.slice(value, end));
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
    else if (at < text.length && text[at] !== '}') throw new SyntaxError('no comma between members');
  }
  return { members, urls, isWhole: text[at] === '}' };
}

/** `from`: behind the bracket. An element that is cut does not count. Throws SyntaxError. */
function firstElements(text: string, from: number): unknown[] {
  const elements: unknown[] = [];
  let at = skipBlanks(text, from);
  while (at < text.length && text[at] !== ']' && elements.length < SHOWN_ENTRIES) {
    const end = endOfValue(text, at);
    if (end >= text.length) break;
    elements.push(JSON.parse(text.slice(at, end)));
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return elements;
}

const SCALAR = /[^\s,:{}[\]"]*/y;

/** The length of the text if the value goes on behind it. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const mark = text[at]!;
    if (mark === '"') at = closingQuote(text, at + 1);
    else if (mark === '{' || mark === '[') depth++;
    else if (mark === '}' || mark === ']') depth--;
    else if (depth === 0) return endOfScalar(text, at);
    if (depth <= 0) return Math.min(at + 1, text.length);
  }
  return text.length;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function endOfScalar(text: string, start: number): number {
  SCALAR.lastIndex = start;
  const [scalar] = SCALAR.exec(text)!;
  // Something must be read, or the caller would never come to the end.
  return start + Math.max(1, scalar.length);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text.charCodeAt(at) <= 0x20 || text.charCodeAt(at) === 0xfeff)) at++;
  return at;
}
