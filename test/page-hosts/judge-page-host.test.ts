import { expect, test } from 'vitest';
import { judgePageHost } from '../../src/features/page-hosts/judge-page-host.ts';
import type { RobotsReading } from '../../src/features/page-hosts/read-robots.ts';

const LINE = 'Sitemap: https://sitemaps.example.com/sitemap-index.xml';
const OURS = 'https://sitemaps.example.com';

function judge(reading: RobotsReading, origin = 'https://www.example.com', sitemapNames = ['', 'products']) {
  const publicOrigin = 'https://{hostname}';
  return judgePageHost(
    { origin, hostname: 'sitemaps.example.com', sitemapNames, publicOrigin, isSecure: true },
    reading,
  );
}

function read(sitemaps: string[], disallowed: ('Googlebot' | 'Bingbot')[] = []): RobotsReading {
  return { kind: 'read', sitemaps, disallowed };
}

test('it is found if all sitemaps with pages of the host are named', () => {
  expect(judge(read([`${OURS}/sitemap-index.xml`])).state).toBe('found');
  expect(judge(read([`${OURS}/sitemap-products.xml`, `${OURS}/sitemap.xml`])).state).toBe('found');
});

test('it is partly there if some are named, and the others are listed', () => {
  const { state, message } = judge(read([`${OURS}/sitemap-products.xml`]));
  expect(state).toBe('partly');
  expect(message).toContain('does not name the sitemap default');
  expect(message).toContain(`“${LINE}”`);
  const many = Array.from({ length: 9 }, (_, n) => `part${n}`);
  expect(judge(read([`${OURS}/sitemap-part0.xml`]), undefined, many).message).toContain(
    'the sitemaps part1, part2, part3, part4, part5 and 3 more',
  );
});

test('it is missing if none is named, with the line to paste, and the line that is nearly right', () => {
  const { state, message } = judge(
    read(['https://www.example.com/sitemap.xml', `http://sitemaps.example.com/a.xml`]),
  );
  expect(state).toBe('missing');
  expect(message).toContain('crawlers drop the URLs of https://www.example.com');
  expect(message).toContain(`“${LINE}”`);
  expect(message).toContain('“Sitemap: http://sitemaps.example.com/a.xml”');
  expect(message).not.toContain('www.example.com/sitemap.xml');
});

test('without a robots.txt it is missing', () => {
  const { state, message } = judge({ kind: 'absent', why: 'the status is 404' });
  expect(state).toBe('missing');
  expect(message).toContain('There is no https://www.example.com/robots.txt (the status is 404)');
  expect(message).toContain(`“${LINE}”`);
});

test('a host whose pages may not be read is disallowed, and says so too while the line is missing', () => {
  const { state, message } = judge(read([`${OURS}/sitemap-index.xml`], ['Bingbot']));
  expect(state).toBe('disallowed');
  expect(message).toContain('disallows Bingbot all pages');
  const both = judge(read([], ['Googlebot', 'Bingbot']));
  expect(both.state).toBe('missing');
  expect(both.message).toContain('disallows Googlebot and Bingbot all pages');
});

test('the hostname of the domain itself needs no line, but may be disallowed', () => {
  for (const origin of [OURS, 'http://sitemaps.example.com:8080']) {
    expect(judge({ kind: 'absent', why: 'the status is 404' }, origin).state).toBe('found');
    expect(judge(read([], ['Googlebot']), origin).state).toBe('disallowed');
  }
});

test('what cannot be read is unreachable, and says why', () => {
  const { state, message } = judge({ kind: 'unreachable', why: 'no whole answer within 10 s' });
  expect(state).toBe('unreachable');
  expect(message).toContain('https://www.example.com/robots.txt cannot be read: no whole answer within 10 s');
});

test('a message has no controls of a hostile robots.txt, and not much of it', () => {
  const { message } = judge(read([`http://sitemaps.example.com/\0\u202e${'x'.repeat(2000)}`]));
  expect(message).not.toMatch(/[\0\u202e]/);
  expect(message.length).toBeLessThan(800);
});
