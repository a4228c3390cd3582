/** Counts URLs by their origin: scheme, host and port, as in https://www.example.com. */
import type { OriginCount } from './comparison.ts';
import type { Origins } from './thread-messages.ts';

/** The most origins whose counts are kept. If an upload has more, the next comparison counts all its files again. */
const MAX_KEPT_ORIGINS = 1000;
const MAX_TOP_ORIGINS = 100;

/** Adds counts to `to`, by canonical origin. The keys of `counted` are URLs, or origins as files spell them. */
export function addOrigins(
  to: Record<string, number>,
  counted: ReadonlyMap<string, number>,
): Record<string, number> {
  for (const [written, urls] of counted) {
    // Waypost accepts only URLs that parse, but a foreign file may have other URLs.
    const origin = URL.parse(written)?.origin ?? written;
    to[origin] = (to[origin] ?? 0) + urls;
  }
  return to;
}

interface OriginChanges {
  /** The counts of the URLs that went. */
  readonly former: Origins;
  /** The counts of the URLs that came. */
  readonly live: Origins;
}

/** Returns the counts in `kept`, without the URLs of the files that went (`former`), and with those of the files that came (`live`). */
export function replaceOrigins(kept: Origins, changes: OriginChanges): Origins {
  return Object.fromEntries(Object.entries(changeOrigins(kept, changes)).filter(([, urls]) => urls > 0));
}

/** Adds further changes to differences of counts. A sum below 0 says that URLs went. */
export function changeOrigins(differences: Origins, { former, live }: OriginChanges): Origins {
  const sums: Record<string, number> = { ...differences };
  for (const [origin, urls] of Object.entries(former)) sums[origin] = (sums[origin] ?? 0) - urls;
  for (const [origin, urls] of Object.entries(live)) sums[origin] = (sums[origin] ?? 0) + urls;
  return sums;
}

/** Returns the counts to keep in the database; undefined if there are too many origins. */
export function keptOrigins(origins: Origins): Origins | undefined {
  return Object.keys(origins).length <= MAX_KEPT_ORIGINS ? origins : undefined;
}

/** Returns the most frequent origins, in descending order. */
export function topOrigins(origins: Origins): OriginCount[] {
  return Object.entries(origins)
    .map(([origin, urlCount]) => ({ origin, urlCount }))
    .sort((a, b) => b.urlCount - a.urlCount || (a.origin < b.origin ? -1 : 1))
    .slice(0, MAX_TOP_ORIGINS);
}
