/**
 * The XML of each member of an entry, in the order of the XSDs, whose sequences are strict. render-entry.ts and the
 * kernel write by these tables.
 */
import { NAMESPACE } from './namespaces.ts';

/** The XML before and after a value. */
export type ElementXml = readonly [open: string, close: string];

/** An object: the XML before and after its members. */
export interface ObjectXml {
  readonly open: string;
  readonly close: string;
  /** The bit of NAMESPACE that the object uses, or 0. */
  readonly namespace: number;
  /** In the order of the XML. The XML of a list is that of each of its elements. */
  readonly members: Readonly<Record<string, ElementXml | ObjectXml>>;
}

const image: ObjectXml = {
  ...element('image:image'),
  namespace: NAMESPACE.image,
  members: {
    loc: text('image:loc'),
    caption: text('image:caption'),
    geo_location: text('image:geo_location'),
    title: text('image:title'),
    license: text('image:license'),
  },
};

const alternate: ObjectXml = {
  open: '<xhtml:link rel="alternate"',
  close: '/>',
  namespace: NAMESPACE.xhtml,
  members: { hreflang: attribute('hreflang'), href: attribute('href') },
};

const news: ObjectXml = {
  ...element('news:news'),
  namespace: NAMESPACE.news,
  members: {
    publication: {
      ...element('news:publication'),
      namespace: 0,
      members: { name: text('news:name'), language: text('news:language') },
    },
    publication_date: text('news:publication_date'),
    title: text('news:title'),
    keywords: text('news:keywords'),
    stock_tickers: text('news:stock_tickers'),
  },
};

const video: ObjectXml = {
  ...element('video:video'),
  namespace: NAMESPACE.video,
  members: {
    thumbnail_loc: text('video:thumbnail_loc'),
    title: text('video:title'),
    description: text('video:description'),
    content_loc: text('video:content_loc'),
    player_loc: text('video:player_loc'),
    duration: text('video:duration'),
    expiration_date: text('video:expiration_date'),
    rating: text('video:rating'),
    view_count: text('video:view_count'),
    publication_date: text('video:publication_date'),
    tag: text('video:tag'),
    category: text('video:category'),
    family_friendly: text('video:family_friendly'),
    uploader: {
      open: '<video:uploader',
      close: '</video:uploader>',
      namespace: 0,
      members: { info: attribute('info'), name: ['>', ''] },
    },
    live: text('video:live'),
  },
};

export const ENTRY_XML: ObjectXml = {
  open: '<url>',
  close: '</url>\n',
  namespace: 0,
  members: {
    loc: text('loc'),
    lastmod: text('lastmod'),
    changefreq: text('changefreq'),
    priority: text('priority'),
    hreflang: alternate,
    images: image,
    news,
    video,
  },
};

function element(name: string) {
  return { open: `<${name}>`, close: `</${name}>` };
}

function text(name: string): ElementXml {
  return [`<${name}>`, `</${name}>`];
}

/**
 * Writes an attribute, for URLs, codes and numbers only. Texts may have TAB and LF, which `escapeText` leaves as they are, and a parser reads
 * a literal TAB or LF in an attribute as a blank (XML 1.0, 3.3.3).
 */
function attribute(name: string): ElementXml {
  return [` ${name}="`, '"'];
}
