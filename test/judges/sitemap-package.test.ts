/**
 * npm's `sitemap` parses our files and returns every field that its model has. `asSitemapItem` below follows its
 * quirks:
 *
 * - it trims every text, and drops a text of white space only;
 * - it counts in UTF-16 units: it cuts an image's title or caption at 512, and drops a longer video title (100),
 *   description (2,048), publication name (256) or news title (200);
 * - it drops a date whose fraction does not have three digits;
 * - it keeps the first 100 alternates of an entry, and would keep more than one video;
 * - it leaves yes and no as texts, and puts an uploader's `info` beside it.
 */
import fc from 'fast-check';
import { type SitemapItem, XMLToSitemapItemStream } from 'sitemap';
import { expect, test } from 'vitest';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { HAND_PICKED_ENTRIES } from '../sitemap/hand-picked-entries.ts';
import { collect } from '../support/collect.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

type Members = Readonly<Record<string, unknown>>;

async function parse(...entries: readonly object[]): Promise<{ items: SitemapItem[]; errors: string[] }> {
  const parser = new XMLToSitemapItemStream({ logger: false });
  parser.end(sitemapDocument(...entries.map(accepted)));
  return { items: await collect<SitemapItem>(parser), errors: parser.errors.map(({ message }) => message) };
}

/** The package's expected result for an entry. */
function asSitemapItem(entry: Members): object {
  const news = entry.news as Members | undefined;
  return withoutAbsent({
    url: entry.loc,
    lastmod: date(entry.lastmod),
    changefreq: entry.changefreq,
    priority: entry.priority,
    links: listOf(entry.hreflang)
      .slice(0, 100)
      .map(({ href, hreflang }) => ({ lang: hreflang, url: href })),
    img: listOf(entry.images).map(asImage),
    news: news && asNews(news),
    video: listOf(entry.video).map(asVideo),
  });
}

function asImage({ loc, title, caption, geo_location, license }: Members): object {
  return withoutAbsent({
    url: loc,
    title: trimmed(title)?.slice(0, 512),
    caption: trimmed(caption)?.slice(0, 512),
    geoLocation: trimmed(geo_location),
    license,
  });
}

function asNews({ publication, publication_date, title, keywords, stock_tickers }: Members): object {
  const { name, language } = publication as Members;
  return withoutAbsent({
    publication: { name: within(256, name) ?? '', language },
    publication_date: date(publication_date) ?? '',
    title: within(200, title) ?? '',
    keywords: trimmed(keywords),
    stock_tickers: trimmed(stock_tickers),
  });
}

function asVideo({ title, description, tag, uploader, ...video }: Members): object {
  const { name, info } = (uploader ?? {}) as Members;
  return withoutAbsent({
    ...video,
    title: within(100, title) ?? '',
    description: within(2_048, description) ?? '',
    publication_date: date(video.publication_date),
    expiration_date: date(video.expiration_date),
    tag: ((tag ?? []) as string[]).flatMap((text) => trimmed(text) ?? []),
    category: trimmed(video.category),
    family_friendly: yesOrNo(video.family_friendly),
    live: yesOrNo(video.live),
    uploader: trimmed(name),
    'uploader:info': info,
  });
}

function trimmed(text: unknown): string | undefined {
  return (text as string | undefined)?.trim() || undefined;
}

function within(units: number, text: unknown): string | undefined {
  const seen = trimmed(text);
  return seen !== undefined && seen.length <= units ? seen : undefined;
}

function date(text: unknown): unknown {
  return /:\d\d\.(?!\d{3}\D)/.test(String(text)) ? undefined : text;
}

function yesOrNo(value: unknown): string | undefined {
  return value === undefined ? undefined : value ? 'yes' : 'no';
}

function withoutAbsent(members: Members): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function listOf(member: unknown): Members[] {
  return [member ?? []].flat() as Members[];
}

test('the package reads every field of any entries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 3 }), async (entries) => {
      expect((await parse(...entries)).items).toEqual(entries.map(asSitemapItem));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each(HAND_PICKED_ENTRIES)('so is an entry with %s', async (_, entry) => {
  expect((await parse(entry)).items).toEqual([asSitemapItem({ ...entry })]);
});

test('the package finds no fault in entries within its own limits', async () => {
  const ours = ['texts at their longest', 'lists at their longest', 'the least and the latest of dates'];
  const entries = HAND_PICKED_ENTRIES.filter(([what]) => !ours.includes(what)).map(([, entry]) => entry);
  expect((await parse(...entries)).errors).toEqual([]);
});
