/**
 * An independent reader of the rendered XML: saxes, a strict and namespace-aware parser, and the conversion from
 * elements back to the JSON of an entry.
 */
import { SaxesParser } from 'saxes';

export interface XmlElement {
  /** Namespace and local name: `http://www.w3.org/1999/xhtml link`. */
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

/** Returns the root element. Throws if the text is not well-formed. */
export function readXml(xml: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const document: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [document];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const named = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    const element = {
      name: `${uri} ${local}`,
      attributes: Object.fromEntries(named),
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  return document.children[0] as XmlElement;
}

const SITEMAP = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const IMAGE = 'http://www.google.com/schemas/sitemap-image/1.1';
const NEWS = 'http://www.google.com/schemas/sitemap-news/0.9';
const VIDEO = 'http://www.google.com/schemas/sitemap-video/1.1';
const XHTML = 'http://www.w3.org/1999/xhtml';

const NUMBERS = new Set(['priority', 'duration', 'rating', 'view_count']);
const BOOLEANS = new Set(['family_friendly', 'live']);

/** The entry of a `<url>` element, in the form in which it is sent. */
export function readEntry(url: XmlElement): Record<string, unknown> {
  return typed(readWritten(url)) as Record<string, unknown>;
}

/** The same, with every value as its text in the XML. */
export function readWritten(url: XmlElement): Record<string, unknown> {
  const entry = membersOf(url, SITEMAP);
  const alternates = elementsOf(url, `${XHTML} link`).map(({ attributes: { rel, ...alternate } }) =>
    rel === 'alternate' ? alternate : { rel },
  );
  const images = elementsOf(url, `${IMAGE} image`).map((image) => membersOf(image, IMAGE));
  const [news] = elementsOf(url, `${NEWS} news`);
  const [video] = elementsOf(url, `${VIDEO} video`);
  if (alternates.length > 0) entry.hreflang = alternates;
  if (images.length > 0) entry.images = images;
  if (news) entry.news = { ...membersOf(news, NEWS), publication: membersOf(news.children[0], NEWS) };
  if (video) entry.video = readVideo(video);
  return entry;
}

function readVideo(video: XmlElement): Record<string, unknown> {
  const members = membersOf(video, VIDEO);
  const tags = elementsOf(video, `${VIDEO} tag`).map(({ text }) => text);
  const [uploader] = elementsOf(video, `${VIDEO} uploader`);
  if (tags.length > 0) members.tag = tags;
  if (uploader) members.uploader = { name: uploader.text, ...uploader.attributes };
  return members;
}

function elementsOf(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child) => child.name === name);
}

function membersOf(parent: XmlElement | undefined, namespace: string): Record<string, unknown> {
  const own = (parent?.children ?? []).filter(({ name }) => name.startsWith(`${namespace} `));
  return Object.fromEntries(own.map(({ name, text }) => [name.slice(namespace.length + 1), text]));
}

/** Converts the value of this name: numbers and booleans in place of their texts. */
function typed(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => typed(element, name));
  if (typeof value !== 'object') {
    return NUMBERS.has(name) ? Number(value) : BOOLEANS.has(name) ? value === 'yes' : value;
  }
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([inner, member]) => [inner, typed(member, inner)]),
  );
}
