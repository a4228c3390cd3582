/** The last visit of any crawler to the files of a sitemap. */
import type { FileVisit, Sitemap } from '../../../client/src/answers.ts';

export function lastVisitOf(
  { sitemapUrl }: Pick<Sitemap, 'sitemapUrl'>,
  visits: readonly FileVisit[],
): FileVisit | undefined {
  const stem = new URL(sitemapUrl).pathname.slice(1).replace(/\.xml$/, '');
  return latestVisit(visits.filter(({ file }) => file.startsWith(`${stem}.`)));
}

export function latestVisit(visits: readonly FileVisit[]): FileVisit | undefined {
  return visits.reduce<FileVisit | undefined>(
    (latest, visit) => (latest && latest.lastVisitAt > visit.lastVisitAt ? latest : visit),
    undefined,
  );
}
