/** Entries with images, videos, news and alternates. */
import { generatedEntry } from '../../tools/generated-upload.ts';
import { richEntry } from '../../tools/rich-entry.ts';
import { CORE_COUNT, type EntryKind, LARGE_COUNT, RATIO_GOAL } from './entry-kind.ts';
import { newsEntry } from './news-entry.ts';
import { asciiJson, prettyJson } from './spellings.ts';
import { videoEntry } from './video-entry.ts';

export const EXTENSION_KINDS: readonly EntryKind[] = [
  {
    name: 'a video',
    writtenBy: 'video sites',
    count: LARGE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => JSON.stringify(videoEntry(i)),
  },
  {
    name: 'news',
    writtenBy: 'newspapers',
    count: LARGE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => JSON.stringify(newsEntry(i)),
  },
  {
    name: 'rich, pretty-printed',
    writtenBy: 'programs that write files for people',
    count: LARGE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => prettyJson(richEntry(i)),
  },
  {
    name: 'rich',
    writtenBy: 'shops and magazines in several languages',
    count: LARGE_COUNT,
    ratioGoal: 0.6,
    textOf: (i) => JSON.stringify(richEntry(i)),
  },
  {
    name: String.raw`emoji in image titles, as \ud83d\ude00`,
    writtenBy: "Python's json.dumps",
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => asciiJson({ ...generatedEntry(i), images: [imageOf(i, `Item ${i} 😀 now 20 % off 🔥`)] }),
  },
  {
    name: String.raw`\", \n, \t and &amp; in image titles`,
    writtenBy: 'shops that store texts as HTML',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      const title = `Item "${i}":\n\tsoft &amp; warm, for her &lt;3`;
      return JSON.stringify({ ...generatedEntry(i), images: [imageOf(i, title)] });
    },
  },
  {
    name: 'images from 300 hosts',
    writtenBy: 'market places whose sellers host their images',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      const loc = `https://seller-${(i * 7) % 300}.example.net/images/${i}.jpg`;
      return JSON.stringify({ ...generatedEntry(i), images: [{ loc }] });
    },
  },
];

function imageOf(i: number, title: string) {
  return { loc: `https://images.example.com/catalogue/${i % 997}/${i}.jpg`, title };
}
