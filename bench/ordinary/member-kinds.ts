/** Plain entries with other members, dates, numbers or layout. */
import { generatedEntry } from '../../tools/generated-upload.ts';
import { CORE_COUNT, type EntryKind, RATIO_GOAL } from './entry-kind.ts';

const DAY_S = 86_400;
const TWO_YEARS_S = 731 * DAY_S;

/** Times are a day less a second apart, so they fall on all days of two years, 29 February 2024 included. */
function timeOf(i: number): string {
  const second = (i * (DAY_S - 1)) % TWO_YEARS_S;
  return new Date(Date.UTC(2024, 0, 1) + second * 1000).toISOString().slice(0, 19);
}

/** Six digits, different for each of a million entries: 7,919 and a million have no common factor. */
function microsecondsOf(i: number): string {
  return String((i * 7_919) % 1_000_000).padStart(6, '0');
}

export const MEMBER_KINDS: readonly EntryKind[] = [
  {
    name: 'unknown members `id` and `title`',
    writtenBy: 'programs that send their rows as they are',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) =>
      JSON.stringify({ id: 100_000 + i, ...generatedEntry(i), title: `Item ${i}, the classic one` }),
  },
  {
    name: '`"images": null`',
    writtenBy: 'programs that write absent members of a class',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => JSON.stringify({ ...generatedEntry(i), images: null }),
  },
  {
    name: 'lastmod with microseconds',
    writtenBy: 'programs that print timestamps of Postgres',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      return JSON.stringify({ ...generatedEntry(i), lastmod: `2026-01-01T10:00:00.${microsecondsOf(i)}Z` });
    },
  },
  {
    name: 'lastmod with +00:00, blanks after `,` and `:`',
    writtenBy: "Python's isoformat and json.dumps",
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      const { loc, changefreq, priority } = generatedEntry(i);
      const date = `"lastmod": "${timeOf(i)}+00:00"`;
      return ` {"loc": "${loc}", ${date}, "changefreq": "${changefreq}", "priority": ${priority.toFixed(1)}}`;
    },
  },
  {
    name: 'priority of 16 or 17 digits',
    writtenBy: 'programs that compute it from sales or ranks',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) =>
      JSON.stringify({ ...generatedEntry(i), priority: 0.1 + (0.9 * ((i * 7_919) % 10_007)) / 10_007 }),
  },
  {
    name: 'unknown objects and lists, sorted by name',
    writtenBy: 'content management systems that export their records',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      const { changefreq, lastmod, loc, priority } = generatedEntry(i);
      return JSON.stringify({
        author: { id: i % 211, name: 'A. Writer' },
        categories: [`category-${i % 997}`, 'catalogue'],
        changefreq,
        lastmod,
        loc,
        meta: { og: { type: 'product', image: null }, robots: ['index', 'follow'] },
        priority,
        published: true,
      });
    },
  },
];
