import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type UrlGroup, UrlGroups } from '../../src/features/submission/group-urls.ts';
import { pageHostOf } from '../../src/features/submission/page-host.ts';

function groupAll(urls: readonly string[], known: readonly string[] = [], maxCharacters?: number) {
  const groups = new UrlGroups(new Set(known), maxCharacters);
  const out: UrlGroup[] = [];
  let left = 0;
  for (const url of urls) {
    const full = groups.add(url);
    if (full === 'no room') left++;
    else if (full !== undefined) out.push(full);
  }
  return { out: [...out, ...groups.takeAll()], left };
}

test('whatever comes, groups have one host each, at most 10,000 URLs, and every URL once', () => {
  const host = fc.constantFrom('a.example.com', 'b.example.com:81', 'c.example.com', 'd.example.com');
  const url = fc.tuple(host, fc.nat(1000)).map(([name, n]) => `https://${name}/${n}`);
  fc.assert(
    fc.property(
      fc.array(url, { maxLength: 300 }),
      fc.integer({ min: 20, max: 2000 }),
      (urls, maxCharacters) => {
        const { out, left } = groupAll(urls, [], maxCharacters);
        expect(left).toBe(0);
        expect(out.flatMap((group) => group.urls).sort()).toEqual([...urls].sort());
        for (const group of out) {
          expect(group.urls.length).toBeGreaterThan(0);
          for (const one of group.urls) expect(pageHostOf(one)!.host).toBe(group.host);
        }
      },
    ),
  );
});

test('a full group leaves at once', () => {
  const urls = Array.from({ length: 25_000 }, (_, n) => `https://a.example.com/${n}`);
  expect(groupAll(urls).out.map((group) => group.urls.length)).toEqual([10_000, 10_000, 5_000]);
});

test('beyond the memory, the largest group leaves', () => {
  const long = 'x'.repeat(1000);
  const few = 'https://few.example.com/1';
  const many = Array.from({ length: 20 }, (_, n) => `https://many.example.com/${n}${long}`);
  const { out } = groupAll([few, ...many], [], 10_000);
  expect(out[0]).toMatchObject({ host: 'many.example.com' });
  expect(out.filter(({ host }) => host === 'few.example.com')).toHaveLength(1);
});

test('of unknown hosts a hundred have room, and known ones always', () => {
  const urls = Array.from({ length: 120 }, (_, n) => `https://h${n}.example.com/`);
  const { out, left } = groupAll(
    [...urls, 'https://h115.example.com/2'],
    ['h110.example.com', 'h115.example.com'],
  );
  expect(left).toBe(18);
  expect(out).toHaveLength(102);
  expect(out.find(({ host }) => host === 'h115.example.com')!.urls).toHaveLength(2);
});

test('what is no URL of a page is left out', () => {
  expect(groupAll(['nonsense', 'ftp://a.example.com/', 'https://a.example.com/']).out).toMatchObject([
    { host: 'a.example.com' },
  ]);
});
