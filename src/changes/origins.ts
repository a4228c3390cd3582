/** Counts of URLs by the origin of their page: scheme, host and port, as in https://www.example.com. */
import type { OriginCount } from './comparison.ts';
import type { Origins } from './thread-messages.ts';

/** With more, the next comparison counts all files again. */
const MAX_KEPT_ORIGINS = 1000;
const MAX_TOP_ORIGINS = 100;

/** `counted`: by origins as they are written. Different spellings of one origin add up. */
export function addOrigins(to: Record<string, number>, counted: ReadonlyMap<string, number>): Origins {
  for (const [written, urls] of counted) {
    // Uploads have only URLs that parse. A foreign file may have others.
    const origin = URL.parse(written)?.origin ?? written;
    to[origin] = (to[origin] ?? 0) + urls;
  }
  return to;
}

/** The counts of an upload, from those of the former one and of the files in which they differ. */
export function replaceOrigins(kept: Origins, { former, live }: { former: Origins; live: Origins }): Origins {
  const sums: Record<string, number> = { ...kept };
  for (const [origin, urls] of Object.entries(former)) sums[origin] = (sums[origin] ?? 0) - urls;
  for (const [origin, urls] of Object.entries(live)) sums[origin] = (sums[origin] ?? 0) + urls;
  return Object.fromEntries(Object.entries(sums).filter(([, urls]) => urls > 0));
}

/** Undefined: there are too many to keep. */
export function keptOrigins(origins: Origins): Origins | undefined {
  return Object.keys(origins).length <= MAX_KEPT_ORIGINS ? origins : undefined;
}

/** The most frequent ones first. */
export function topOrigins(origins: Origins): OriginCount[] {
  return Object.entries(origins)
    .map(([origin, urlCount]) => ({ origin, urlCount }))
    .sort((a, b) => b.urlCount - a.urlCount || (a.origin < b.origin ? -1 : 1))
    .slice(0, MAX_TOP_ORIGINS);
}
