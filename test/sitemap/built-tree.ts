/**
 * An entry's `<url>` element as xmlbuilder2 builds it in the order of the XSDs. The tree comes from its DOM, not from
 * its text: its serializer leaves CR, and an `&` that looks like a reference, unescaped.
 */
import { create } from 'xmlbuilder2';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import type { XmlElement } from './read-xml.ts';

type Members = Readonly<Record<string, unknown>>;

const NAMESPACES: Readonly<Record<string, string>> = {
  '': 'http://www.sitemaps.org/schemas/sitemap/0.9',
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  xhtml: 'http://www.w3.org/1999/xhtml',
};
const IMAGE_ORDER = ['loc', 'caption', 'geo_location', 'title', 'license'];
const VIDEO_ORDER = [
  ...['thumbnail_loc', 'title', 'description', 'content_loc', 'player_loc', 'duration', 'expiration_date'],
  ...['rating', 'view_count', 'publication_date', 'tag', 'category', 'family_friendly', 'uploader', 'live'],
];

export function builtTree(entry: Members): XmlElement {
  const url = create().ele(NAMESPACES['']!, 'url');
  addMembers(url, '', entry, ['loc', 'lastmod', 'changefreq', 'priority']);
  for (const { href, hreflang } of listOf(entry.hreflang)) {
    add(url, 'xhtml', 'link', '').att({ rel: 'alternate', hreflang, href });
  }
  for (const image of listOf(entry.images))
    addMembers(add(url, 'image', 'image', ''), 'image', image, IMAGE_ORDER);
  for (const news of listOf(entry.news)) addNews(add(url, 'news', 'news', ''), news);
  for (const video of listOf(entry.video))
    addMembers(add(url, 'video', 'video', ''), 'video', video, VIDEO_ORDER);
  return treeOf(url.node as unknown as DomNode);
}

function addNews(news: XMLBuilder, members: Members): void {
  addMembers(add(news, 'news', 'publication', ''), 'news', members.publication as Members, [
    'name',
    'language',
  ]);
  addMembers(news, 'news', members, ['publication_date', 'title', 'keywords', 'stock_tickers']);
}

function addMembers(parent: XMLBuilder, prefix: string, members: Members, order: readonly string[]): void {
  for (const name of order) {
    for (const value of [members[name] ?? []].flat()) {
      if (name === 'uploader') {
        const { name: content, info } = value as { name: string; info?: string };
        const uploader = add(parent, prefix, name, content);
        if (info !== undefined) uploader.att('info', info);
      } else add(parent, prefix, name, textOf(value));
    }
  }
}

function add(parent: XMLBuilder, prefix: string, name: string, text: string): XMLBuilder {
  const element = parent.ele(NAMESPACES[prefix]!, prefix === '' ? name : `${prefix}:${name}`);
  return text === '' ? element : element.txt(text);
}

/** Prints the shortest decimal like ours, by other means. */
const decimals = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 100 });

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? decimals.format(value) : String(value);
}

/** The part of the builder's DOM that we read. */
interface DomNode {
  readonly namespaceURI: string;
  readonly localName: string;
  /** Only in a text node. */
  readonly data?: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly childNodes: Iterable<DomNode>;
}

function treeOf({ namespaceURI, localName, attributes, childNodes }: DomNode): XmlElement {
  const nodes = [...childNodes];
  return {
    name: `${namespaceURI} ${localName}`,
    attributes: Object.fromEntries(Array.from(attributes, ({ name, value }) => [name, value])),
    children: nodes.filter(({ data }) => data === undefined).map(treeOf),
    text: nodes.map(({ data }) => data ?? '').join(''),
  };
}

function listOf(member: unknown): Record<string, string>[] {
  return [member ?? []].flat() as Record<string, string>[];
}
