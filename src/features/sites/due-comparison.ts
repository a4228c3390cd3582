/**
 * The SQL that makes a comparison of uploads due (docs/decisions/0025). A statement that points a sitemap to another upload contains
 * COMPARE_NEXT. `features/changes/due-comparison-store.ts` takes due comparisons.
 */

/** Comparisons have two lanes, so a large comparison does not hold up small ones. */
export const SMALL_LANE = 0;
export const LARGE_LANE = 1;

/** The most URLs of both uploads together in the small lane. Such a comparison takes a second at most. */
export const SMALL_URLS = 1_000_000;

export function laneOf(urls: number): number {
  return urls <= SMALL_URLS ? SMALL_LANE : LARGE_LANE;
}

/**
 * Sets the columns of a sitemap that gets another upload (ON CONFLICT). A comparison costs as much as an upload of 100 URLs. So comparisons
 * of a sitemap are at least 10 seconds apart, and skip uploads that are replaced in between. The next comparison waits for a running
 * comparison. A comparison that waits in the large lane stays there, because its former upload may have many URLs. If the clock was ahead
 * when the sitemap was compared, the next comparison waits no longer than for a lease.
 */
export const COMPARE_NEXT = `
  compare_at = least(greatest(now(), sitemaps.compared_at + interval '10 seconds', sitemaps.comparing_until), now() + interval '1 minute'),
  compare_account = excluded.compare_account,
  compare_lane = greatest(excluded.compare_lane, CASE WHEN sitemaps.compare_at IS NOT NULL THEN sitemaps.compare_lane END)`;
