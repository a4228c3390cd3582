/**
 * Reads one `<url>` element with a strict XML parser, and turns it into the value that JSON has for an entry. This is the
 * normative path of XML. Elements and attributes without a member in an entry are ignored.
 */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { boundAttributes, MAX_ELEMENT_DEPTH } from '../../../platform/bound-xml.ts';
import { shownText, shownValue } from '../../../platform/shown-value.ts';
import type { RecordFault } from './batch-entries.ts';
import { valueIn } from './value-kind.ts';
import { tagOf, XML_ENTRY, type XmlMember, type XmlObject } from './xml-elements.ts';

/** The URI of each prefix that the root declares. */
export type Namespaces = Readonly<Record<string, string>>;

interface XmlElement {
  /** The name with the usual prefix. Undefined if the namespace is not one of sitemaps. */
  readonly tag: string | undefined;
  readonly attributes: Readonly<Record<string, SaxesAttributeNS>>;
  readonly children: XmlElement[];
  /** The text of the element itself, without that of its children. */
  text: string;
}

/** Returns the value of the record, or its fault. */
export function readXmlRecord(
  xml: string,
  namespaces: Namespaces,
): { value: object } | { fault: RecordFault } {
  try {
    return { value: objectIn(parse(xml, namespaces), XML_ENTRY, []) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.fault };
    const problem =
      BARE_AMPERSAND.test(xml) && !xml.includes('<![CDATA[') ? 'write & as &amp;' : problemIn(error);
    const message = `must be well-formed XML: ${problem}`;
    return { fault: { field: 'url', value: shownValue(trimmed(xml)), message } };
  }
}

/**
 * The commonest fault of sitemaps, as in `?a=1&b=2`. The parser looks for the end of the reference in all that follows, and then complains
 * of tags.
 */
const BARE_AMPERSAND = /&(?!(?:\w{1,32}|#\d{1,8}|#x[\da-fA-F]{1,8});)/;

/** Returns the message of the parser, without its full stop. */
export function problemIn(error: unknown): string {
  return shownText((error as Error).message.replace(/\.$/, ''));
}

/** Thrown for a record that is well-formed, but no entry. */
class Fault extends Error {
  readonly fault: RecordFault;

  constructor(field: string, value: string | null, message: string) {
    super(message);
    this.fault = { field, value: shownValue(value) as RecordFault['value'], message };
  }
}

function parse(xml: string, namespaces: Namespaces): XmlElement {
  const parser = new SaxesParser({
    xmlns: true,
    fragment: true,
    position: false,
    additionalNamespaces: namespaces,
  });
  boundAttributes(parser, (problem) => new Fault('url', null, `must not have ${problem}`));
  const open: XmlElement[] = [elementOf(undefined, {})];
  parser.on('opentag', (tag: SaxesTagNS) => {
    if (open.length > MAX_ELEMENT_DEPTH)
      throw new Fault('url', null, `must be nested at most ${MAX_ELEMENT_DEPTH} levels deep`);
    const element = elementOf(tagOf(tag.uri, tag.local), tag.attributes);
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  const addText = (text: string) => {
    open.at(-1)!.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(xml).close();
  return open[0]!.children[0]!;
}

function elementOf(tag: string | undefined, attributes: XmlElement['attributes']): XmlElement {
  return { tag, attributes, children: [], text: '' };
}

function objectIn(
  element: XmlElement,
  { byTag }: XmlObject,
  path: readonly string[],
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  const own = byTag.get('');
  if (own !== undefined) add(object, own, element.text, path);
  for (const { name, value, uri } of Object.values(element.attributes)) {
    const member = uri === '' ? byTag.get(`@${name}`) : undefined;
    if (member !== undefined) add(object, member, value, path);
  }
  for (const child of element.children) {
    const member = child.tag === undefined ? undefined : byTag.get(child.tag);
    if (member === undefined || (member.tag === 'xhtml:link' && !isAlternate(child))) continue;
    const childPath = [...path, member.tag];
    add(
      object,
      member,
      member.object === undefined ? child.text : objectIn(child, member.object, childPath),
      childPath,
    );
  }
  return object;
}

/** Other links, such as the one to a page for phones, are no alternates in another language. */
function isAlternate({ attributes }: XmlElement): boolean {
  const rel = attributes.rel?.value.toLowerCase().split(/[ \t\r\n]+/) ?? [];
  return rel.includes('alternate') && attributes.hreflang !== undefined;
}

function add(
  object: Record<string, unknown>,
  { name, kind, isList }: XmlMember,
  content: string | object,
  path: readonly string[],
): void {
  const text = typeof content !== 'string' || kind === 'text' ? content : trimmed(content);
  // An empty token counts as absent, but an empty text is a text.
  if (text === '' && kind !== 'text') return;
  const value = typeof text === 'string' ? valueIn(kind, text) : text;
  if (isList) {
    const list = (object[name] ?? []) as unknown[];
    list.push(value);
    object[name] = list;
  } else if (object[name] === undefined) object[name] = value;
  else throw new Fault(path.join('/'), typeof text === 'string' ? text : null, 'must stand there only once');
}

/**
 * Removes white space of XML from both ends. A regular expression in its place takes time that grows with the square of the length of a
 * hostile text.
 */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.includes(text[start]!)) start++;
  while (end > start && WHITE_SPACE.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const WHITE_SPACE = ' \t\r\n';
