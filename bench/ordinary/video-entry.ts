/** Entries of a video site: each page has a video with all members. */
import { generatedEntry } from '../../tools/generated-upload.ts';

const SUBJECTS = [
  'Bread at home',
  'A bicycle chain',
  'Tomatoes & basil',
  'The "one pot" dinner',
  'Knots',
  'A kite',
];
const CATEGORIES = ['Cooking', 'Sports', 'Travel', 'Education'];

export function videoEntry(i: number) {
  const subject = SUBJECTS[i % SUBJECTS.length]!;
  const { lastmod, ...entry } = generatedEntry(i);
  return {
    ...entry,
    loc: `https://www.example.com/watch/${i}`,
    lastmod,
    video: {
      thumbnail_loc: `https://images.example.com/thumbnails/${i % 997}/${i}.jpg`,
      title: `${subject}, part ${i}`,
      description: `${subject}: what you need, how it is done step by step, and which mistakes to avoid. Part ${i}.`,
      content_loc: `https://video.example.com/files/${i % 997}/${i}.mp4`,
      player_loc: `https://www.example.com/player?video=${i}&autoplay=0`,
      duration: 30 + (i % 3_600),
      expiration_date: `2029-${lastmod.slice(5)}`,
      rating: (i % 51) / 10,
      view_count: (i * 7_919) % 5_000_003,
      publication_date: `${lastmod}T08:15:00+01:00`,
      tag: ['how-to', `part ${i % 12}`, subject],
      category: CATEGORIES[i % CATEGORIES.length]!,
      family_friendly: i % 50 !== 0,
      uploader: { name: `Channel ${i % 499}`, info: `https://www.example.com/channel/${i % 499}` },
      live: false,
    },
  };
}
