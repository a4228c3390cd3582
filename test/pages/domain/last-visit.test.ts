import { expect, test } from 'vitest';
import type { FileVisit } from '../../../client/src/answers.ts';
import { lastVisitOf, latestVisit, readVisits } from '../../../pages/views/domain/last-visit.ts';

const visit = (file: string, lastVisitAt: string): FileVisit => ({
  ...{ file, url: `https://maps.example.com/${file}`, crawler: 'Googlebot' },
  ...{ status: 200, lastVisitAt, requests: 1 },
});
const OLD = visit('sitemap-a.xml', '2026-01-01T10:00:00Z');
const NEW = visit('sitemap-z.2.xml', '2026-01-15T10:00:00Z');
const ofSitemap = (name: string) => ({ sitemapUrl: `https://maps.example.com/${name}.xml` });

test('the list by file is read, if it is whole', async () => {
  const asked: string[] = [];
  const visits = await readVisits('domains/d/crawls', async (path) => {
    asked.push(path);
    return { rows: [OLD, NEW], next: undefined };
  });
  expect(visits).toEqual({ rows: [OLD, NEW], isWhole: true });
  expect(asked).toEqual(['domains/d/crawls?limit=100']);
});

test('of many visits the newest count, whatever the names of their files are', async () => {
  const visits = await readVisits('domains/d/crawls', async (path) =>
    path.includes('order=newest') ? { rows: [NEW], next: 'more' } : { rows: [OLD], next: 'more' },
  );
  expect(visits).toEqual({ rows: [NEW], isWhole: false });
  expect(latestVisit(visits.rows)).toEqual(NEW);
});

test('a file belongs to the sitemap whose name stands before its number', () => {
  expect(lastVisitOf(ofSitemap('sitemap-z'), [OLD, NEW])).toEqual(NEW);
  expect(lastVisitOf(ofSitemap('sitemap'), [OLD, NEW])).toBeUndefined();
});
