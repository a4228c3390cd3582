/** The XML of one entry, by string concatenation. The entry must come from parseEntry. */
import { type ElementXml, ENTRY_XML, type ObjectXml } from './elements.ts';
import type { Entry } from './entry.ts';
import { plainDecimal } from './plain-decimal.ts';
import { escapeText } from './xml-text.ts';

/** The `<url>` element of an entry, with a newline at the end. */
export function renderEntry(entry: Entry): string {
  return renderObject(entry, ENTRY_XML);
}

/** The extension namespaces that the entry's XML uses, as bits of NAMESPACE. */
export function namespacesOf(entry: Entry): number {
  return Object.entries(entry).reduce((namespaces, [name, value]) => {
    const xml = ENTRY_XML.members[name];
    const isWritten = value !== undefined && !(Array.isArray(value) && value.length === 0);
    return isWritten && xml !== undefined && 'namespace' in xml ? namespaces | xml.namespace : namespaces;
  }, 0);
}

function renderObject(object: object, { open, close, members }: ObjectXml): string {
  let xml = open;
  for (const [name, member] of Object.entries(members)) {
    const value = (object as Record<string, unknown>)[name];
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const each of value) xml += renderValue(each, member);
    else xml += renderValue(value, member);
  }
  return xml + close;
}

function renderValue(value: unknown, xml: ElementXml | ObjectXml): string {
  if ('members' in xml) return renderObject(value as object, xml);
  return xml[0] + content(value as string | number | boolean) + xml[1];
}

/** Zero, false and the empty text are values. */
function content(value: string | number | boolean): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return plainDecimal(value);
  return value ? 'yes' : 'no';
}
