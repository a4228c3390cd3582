import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../src/features/recent/recent-state.ts';
import { renderFeed } from '../../src/features/recent/render-feed.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { readXml } from '../sitemap/read-xml.ts';
import { needs } from '../support/needs.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const change = fc.record({
  at: fc.integer({ min: 1_500_000_000, max: 4_000_000_000 }),
  sitemap: fc.constant('products'),
  loc: anyEntry.map((entry) => (entry as { loc: string }).loc),
  isRemoved: fc.boolean(),
  seq: fc.constant(1),
}) satisfies fc.Arbitrary<Change>;
const changes = fc
  .tuple(change)
  .chain(([first]) =>
    fc.array(change, { maxLength: 5 }).map((others): [Change, ...Change[]] => [first, ...others]),
  );

const TERMS = { hostname: 'maps.example.com', origin: 'https://maps.example.com' };
const TOMBSTONE = 'http://purl.org/atompub/tombstones/1.0 deleted-entry';
const HUB = 'https://hub.example.net/?a=1&b=2';
const timeOf = (seconds: number) => new Date(1000 * seconds).toISOString().replace('.000', '');

const JUDGE = `
import json, sys, calendar
import feedparser
for line in sys.stdin:
    feed = feedparser.parse(json.loads(line).encode('utf-8'))
    print(json.dumps({
        'bozo': bool(feed.bozo), 'version': feed.version, 'id': feed.feed.id, 'title': feed.feed.title,
        'author': feed.feed.author, 'updated': feed.feed.updated,
        'links': [[link.rel, link.href] for link in feed.feed.links],
        'entries': [[e.id, e.title, e.updated, calendar.timegm(e.updated_parsed), e.link] for e in feed.entries]}))
`;

test('feedparser finds the feed and an entry for each URL that is there', needs('feedparser'), () => {
  const cases = fc.sample(changes, PROPERTY_RUNS);
  const feeds = cases.map((one) => renderFeed(one, { ...TERMS, hub: HUB }));
  const input = feeds.map((feed) => JSON.stringify(feed)).join('\n');
  const { stdout, stderr, status } = spawnSync('/usr/bin/python3', ['-c', JUDGE], {
    ...{ input, encoding: 'utf8', maxBuffer: 1e9 },
    env: { ...process.env, PYTHONUTF8: '1' },
  });
  expect(status, stderr).toBe(0);
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const [i, one] of cases.entries()) {
    expect(found[i]).toEqual({
      ...{ bozo: false, version: 'atom10', id: 'tag:maps.example.com,2026:changes' },
      ...{ title: 'Changes of maps.example.com', author: 'maps.example.com', updated: timeOf(one[0].at) },
      links: [
        ['self', 'https://maps.example.com/changes.atom'],
        ['hub', HUB],
      ],
      entries: one
        .filter(({ isRemoved }) => !isRemoved)
        .map(({ loc, at }) => [loc, loc, timeOf(at), at, loc]),
    });
  }
});

test('saxes finds a tombstone for each URL that was removed', () => {
  fc.assert(
    fc.property(changes, (one) => {
      const feed = readXml(renderFeed(one, { ...TERMS, hub: undefined }));
      expect(feed.name).toBe('http://www.w3.org/2005/Atom feed');
      const stones = feed.children.filter(({ name }) => name === TOMBSTONE);
      expect(stones).toMatchObject(
        one
          .filter(({ isRemoved }) => isRemoved)
          .map(({ loc, at }) => ({ attributes: { ref: loc, when: timeOf(at) } })),
      );
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
