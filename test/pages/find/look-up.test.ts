import { expect, test } from 'vitest';
import type { FoundUrl } from '../../../client/src/answers.ts';
import { type LookUp, lookUpAgain, mayFindMore, sayLeft } from '../../../pages/views/find/look-up.ts';

const NOTHING: FoundUrl = {
  ...{ url: 'https://www.example.com/', found: false, places: [], near: [], removed: null },
  ...{ originUrlCount: null, hasMore: false },
  ...{ complete: false, filesLeft: 0, filesUnreadable: 0, sitemapsLeft: 0 },
};

/** Returns the number of look-ups of a page that always gets this answer, one every 5 s. */
function lookUps(found: FoundUrl): number {
  let last: LookUp | undefined;
  for (let n = 1; n < 1000; n++) {
    last = lookUpAgain(last, found, 5000 * n);
    if (!mayFindMore(last)) return n;
  }
  return Number.POSITIVE_INFINITY;
}

test('the page looks once if no later look-up can search more', () => {
  expect(lookUps({ ...NOTHING, filesLeft: 3, filesUnreadable: 3 })).toBe(1);
  expect(lookUps({ ...NOTHING, sitemapsLeft: 5000 })).toBe(1);
  expect(lookUps({ ...NOTHING, complete: true })).toBe(1);
  expect(lookUps({ ...NOTHING, found: true, filesLeft: 3 })).toBe(1);
});

test('the page looks again for two minutes, and longer while files get their index', () => {
  expect(lookUps({ ...NOTHING, filesLeft: 3, filesUnreadable: 1 })).toBe(25);
  const last = { found: { ...NOTHING, filesLeft: 3 }, sinceMs: 0, atMs: 119_000 };
  expect(mayFindMore(lookUpAgain(last, { ...NOTHING, filesLeft: 3 }, 120_000))).toBe(false);
  expect(mayFindMore(lookUpAgain(last, { ...NOTHING, filesLeft: 2 }, 120_000))).toBe(true);
});

test.for([
  [{ filesLeft: 1 }, true, '', '1 file could not be searched yet. We look again every few seconds.'],
  [{ filesLeft: 2 }, false, '', '2 files could not be searched. Choose a domain.'],
  [{ filesLeft: 2 }, false, 'a.example', '2 files could not be searched. Try again later.'],
  [{ filesLeft: 2, filesUnreadable: 2 }, false, '', "2 files can't be read: missing or damaged."],
  [{ sitemapsLeft: 7 }, false, '', '7 sitemaps could not be searched. Choose a domain.'],
  [{ sitemapsLeft: 7 }, false, 'a.example', '7 sitemaps could not be searched.'],
  [
    { filesLeft: 5, filesUnreadable: 1, sitemapsLeft: 7 },
    true,
    '',
    "1 file can't be read: missing or damaged. 4 files could not be searched yet. 7 sitemaps could not be searched. We look again every few seconds. Choose a domain.",
  ],
] as const)('of %j, looking again: %j, in “%s”, the page says: %s', ([left, looksAgain, domain, said]) => {
  expect(sayLeft({ ...NOTHING, ...left }, looksAgain, domain)).toBe(said);
});
