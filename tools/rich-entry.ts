/**
 * Makes entries like those of a shop or a magazine in several languages. Three in four have images, and every second one has alternates.
 * One in 20 has a video, and one in 100 has news. Every fourth title and a few URLs have a character outside ASCII.
 */

const ORIGIN = 'https://www.example.com';
const LANGUAGES = ['en', 'de', 'fr-CA', 'ja', 'x-default'];
const TITLES = [
  'Trail running shoes, blue & green',
  'A short guide to "slow" travel',
  'Wanderschuhe für Größe 36–48',
  'Winter sale: up to 50 % off',
  'Espresso machine with grinder',
  'Reading lamp, brass <matt>',
  'Sencha 煎茶 from Uji, 100 g',
  "The editor's choice of the week",
];

export function richEntry(i: number) {
  const path = pathOf(i);
  return {
    loc: `${ORIGIN}/en${path}`,
    lastmod: `2026-${twoDigits(1 + (i % 12))}-${twoDigits(1 + (i % 28))}T${twoDigits(i % 24)}:30:00+01:00`,
    ...(i % 5 === 0 && { changefreq: 'weekly', priority: (i % 11) / 10 }),
    ...(i % 4 !== 3 && {
      images: Array.from({ length: 1 + (i % 3 === 0 ? 1 : 0) }, (_, n) => imageOf(i, n)),
    }),
    ...(i % 2 === 0 && { hreflang: LANGUAGES.slice(0, 2 + (i % 3)).map((tag) => alternateOf(path, tag)) }),
    ...(i % 20 === 7 && { video: videoOf(i) }),
    ...(i % 100 === 11 && { news: newsOf(i) }),
  };
}

function pathOf(i: number): string {
  const name = i % 50 === 9 ? 'größen-und-maße' : 'product';
  return `/category-${i % 997}/${name}-${i}?colour=${i % 7}&size=${i % 13}`;
}

function imageOf(i: number, n: number) {
  const loc = `https://images.example.com/catalogue/${i % 997}/${i}-${n}.jpg`;
  return n === 0 ? { loc, title: titleOf(i) } : { loc, caption: `${titleOf(i + 1)}, seen from the side` };
}

function alternateOf(path: string, hreflang: string) {
  const folder = hreflang === 'x-default' ? 'en' : hreflang.toLowerCase();
  return { href: `${ORIGIN}/${folder}${path}`, hreflang };
}

function videoOf(i: number) {
  return {
    thumbnail_loc: `https://images.example.com/video/${i}.jpg`,
    title: titleOf(i),
    description: `${titleOf(i)}: what it is made of, how to look after it, and what our customers say of it.`,
    content_loc: `https://video.example.com/${i}.mp4`,
    duration: 30 + (i % 600),
    rating: (i % 50) / 10,
    view_count: i * 7,
    publication_date: '2026-03-01T08:00:00Z',
    family_friendly: true,
    tag: ['product', 'how-to'],
    uploader: { name: 'Example Films', info: `${ORIGIN}/films` },
  };
}

function newsOf(i: number) {
  return {
    publication: { name: 'The Example Times', language: 'en' },
    publication_date: '2026-10-01',
    title: titleOf(i),
  };
}

function titleOf(i: number): string {
  return TITLES[i % TITLES.length]!;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}
