/** The last visits of crawlers to a domain, and to the files of one sitemap. */
import type { FileVisit, Sitemap } from '../../../client/src/answers.ts';
import type { Page } from '../../api/request.ts';

/** The visits that a page knows. Unless they are whole, there are older ones. */
export interface Visits {
  readonly rows: readonly FileVisit[];
  readonly isWhole: boolean;
}

type ReadPage = (path: string) => Promise<Page<FileVisit>>;

/** Reads all visits, or the newest ones of many. The list by time costs the service more. */
export async function readVisits(path: string, read: ReadPage): Promise<Visits> {
  const { rows, next } = await read(`${path}?limit=100`);
  if (next === undefined) return { rows, isWhole: true };
  return { rows: (await read(`${path}?limit=100&order=newest`)).rows, isWhole: false };
}

/** The last visit of any crawler to the files of a sitemap. */
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
