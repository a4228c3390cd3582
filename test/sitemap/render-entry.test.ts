import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { create } from 'xmlbuilder2';
import type { Entry } from '../../src/sitemap/entry.ts';
import { NAMESPACE } from '../../src/sitemap/namespaces.ts';
import { namespacesOf, renderEntry } from '../../src/sitemap/render-entry.ts';
import { anyEntry } from './arbitrary-entry.ts';
import { accepted, sitemapDocument } from './document.ts';
import { fullEntry } from './full-entry.ts';
import { PROPERTY_RUNS } from './property-runs.ts';
import { readEntry, readXml } from './read-xml.ts';

test('a strict parser reads back every entry as it was sent', () => {
  fc.assert(
    fc.property(anyEntry, (raw) => {
      const [url] = readXml(sitemapDocument(accepted(raw))).children;
      expect(url && readEntry(url)).toEqual(raw);
    }),
    PROPERTY_RUNS,
  );
});

test('the full entry has the elements that an independent builder gives it, in the same order', () => {
  const entry = accepted(fullEntry());
  expect(readXml(sitemapDocument(entry))).toEqual(readXml(builtDocument(entry)));
});

/** The full entry's document, built by xmlbuilder2 in the order of the schemas. */
function builtDocument({ loc, lastmod, changefreq, priority, ...entry }: Entry): string {
  const [image] = entry.images ?? [];
  const { uploader, family_friendly, live, ...video } = entry.video ?? {};
  const prefixed = (prefix: string, members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [`${prefix}:${name}`, value]));
  const inOrder = (object: object | undefined, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, object?.[name as keyof typeof object]]));
  const urlset = {
    '@xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9',
    '@xmlns:image': 'http://www.google.com/schemas/sitemap-image/1.1',
    '@xmlns:news': 'http://www.google.com/schemas/sitemap-news/0.9',
    '@xmlns:video': 'http://www.google.com/schemas/sitemap-video/1.1',
    '@xmlns:xhtml': 'http://www.w3.org/1999/xhtml',
    url: {
      ...{ loc, lastmod, changefreq, priority },
      'xhtml:link': entry.hreflang?.map(({ href, hreflang }) => ({
        '@rel': 'alternate',
        '@hreflang': hreflang,
        '@href': href,
      })),
      'image:image': prefixed(
        'image',
        inOrder(image, ['loc', 'caption', 'geo_location', 'title', 'license']),
      ),
      'news:news': {
        'news:publication': prefixed('news', inOrder(entry.news?.publication, ['name', 'language'])),
        ...prefixed('news', inOrder(entry.news, ['publication_date', 'title', 'keywords', 'stock_tickers'])),
      },
      'video:video': {
        ...prefixed(
          'video',
          inOrder(video, ['thumbnail_loc', 'title', 'description', 'content_loc', 'player_loc']),
        ),
        ...prefixed('video', inOrder(video, ['duration', 'expiration_date', 'rating', 'view_count'])),
        ...prefixed('video', inOrder(video, ['publication_date', 'tag', 'category'])),
        'video:family_friendly': family_friendly ? 'yes' : 'no',
        'video:uploader': { '@info': uploader?.info, '#': uploader?.name },
        'video:live': live ? 'yes' : 'no',
      },
    },
  };
  // The line ends are those that the renderer puts after each `url`, so that the trees are equal.
  return create({ version: '1.0', encoding: 'UTF-8' }, { urlset })
    .end()
    .replace(/<url>/, '\n<url>')
    .replace('</url>', '</url>\n');
}

describe('an entry', () => {
  test('of a loc alone says nothing else', () => {
    expect(renderEntry(accepted({ loc: 'https://example.com/?a&b' }))).toBe(
      '<url><loc>https://example.com/?a&amp;b</loc></url>\n',
    );
  });

  test('keeps zeros, empty texts and booleans that were given', () => {
    const video = {
      ...fullEntry().video,
      view_count: 0,
      rating: -0,
      live: false,
      family_friendly: true,
      category: '',
    };
    const xml = renderEntry(accepted({ loc: 'https://example.com/', priority: 0, video }));
    for (const element of [
      '<priority>0</priority>',
      '<video:view_count>0</video:view_count>',
      '<video:rating>0</video:rating>',
      '<video:live>no</video:live>',
      '<video:family_friendly>yes</video:family_friendly>',
      '<video:category></video:category>',
    ]) {
      expect(xml).toContain(element);
    }
  });

  test('uses the namespaces of the extensions that it has, and none for an empty list', () => {
    const { loc, images, hreflang, news, video } = fullEntry();
    const used = (members: object) => namespacesOf(accepted({ loc, ...members }));
    expect(used({ images: [], hreflang: [] })).toBe(0);
    expect(used({ images })).toBe(NAMESPACE.image);
    expect(used({ hreflang })).toBe(NAMESPACE.xhtml);
    expect(used({ news })).toBe(NAMESPACE.news);
    expect(used({ video })).toBe(NAMESPACE.video);
    expect(used({ images, hreflang, news, video })).toBe(15);
  });
});
