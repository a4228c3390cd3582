import { describe, expect, test } from 'vitest';
import { NAMESPACE } from '../../src/core/sitemap/namespaces.ts';
import { namespacesOf, renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { accepted } from './document.ts';
import { fullEntry } from './full-entry.ts';

describe('an entry', () => {
  test('with only a loc renders nothing else', () => {
    expect(renderEntry(accepted({ loc: 'https://example.com/?a&b' }))).toBe(
      '<url><loc>https://example.com/?a&amp;b</loc></url>\n',
    );
  });

  test('keeps given zeros, empty texts and booleans', () => {
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
