/** An entry that uses every member, new on each call, and one with a chosen value in one of its fields. */

export function fullEntry() {
  return {
    loc: 'https://www.example.com/a?b=1&c=2',
    lastmod: '2026-01-15T10:00:00+02:00',
    changefreq: 'daily',
    priority: 0.64,
    images: [
      {
        loc: 'https://img.example.com/1.jpg',
        title: 'Title',
        caption: 'Caption',
        geo_location: 'Limerick, Ireland',
        license: 'https://example.com/license',
      },
    ],
    hreflang: [
      { href: 'https://www.example.com/de', hreflang: 'de-AT' },
      { href: 'https://www.example.com/', hreflang: 'x-default' },
    ],
    news: {
      publication: { name: 'The Example Times', language: 'en' },
      publication_date: '2026-01-15',
      title: 'Companies merge',
      keywords: 'business, merger',
      stock_tickers: 'NASDAQ:A, NASDAQ:B',
    },
    video: {
      thumbnail_loc: 'https://img.example.com/v.jpg',
      title: 'Grilling',
      description: 'How to grill',
      content_loc: 'https://cdn.example.com/v.mp4',
      player_loc: 'https://www.example.com/player?v=1',
      duration: 600,
      view_count: 12_345,
      rating: 4.2,
      publication_date: '2026-01-15T10:00:00Z',
      expiration_date: '2027-01-15',
      family_friendly: true,
      live: false,
      tag: ['steak', 'summer'],
      category: 'Cooking',
      uploader: { name: 'Cook', info: 'https://www.example.com/cook' },
    },
  };
}

export const TEXT_FIELDS = [
  'images[0].title',
  'images[0].caption',
  'images[0].geo_location',
  'news.publication.name',
  'news.title',
  'news.keywords',
  'video.title',
  'video.description',
  'video.tag[1]',
  'video.category',
  'video.uploader.name',
];

export const URL_FIELDS = [
  'loc',
  'images[0].loc',
  'images[0].license',
  'hreflang[1].href',
  'video.thumbnail_loc',
  'video.content_loc',
  'video.player_loc',
  'video.uploader.info',
];

/** The full entry with another value in some fields. A field is named as in violations, without `urls[i].`. */
export function fullEntryWith(fields: string | readonly string[], value: unknown): Record<string, unknown> {
  const entry: Record<string, unknown> = fullEntry();
  for (const field of [fields].flat()) {
    const path = field.match(/\w+/g) ?? [];
    const parent = path.slice(0, -1).reduce((object, member) => object[member] as typeof entry, entry);
    parent[path.at(-1) as string] = value;
  }
  return entry;
}

/** The value of that field in an entry of the same shape. */
export function fieldOf(entry: unknown, field: string): unknown {
  return (field.match(/\w+/g) ?? []).reduce(
    (value, member) => (value as Record<string, unknown> | undefined)?.[member],
    entry,
  );
}
