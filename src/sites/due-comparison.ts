/**
 * When a comparison of uploads is due (docs/decisions/0025). Whoever points a sitemap to another upload says so in the same
 * statement; `changes/due-comparison-store.ts` takes them.
 */

/** A large comparison does not hold up small ones. */
export const SMALL_LANE = 0;
export const LARGE_LANE = 1;

/** URLs of both uploads: a second at most. */
export const SMALL_URLS = 1_000_000;

export function laneOf(urls: number): number {
  return urls <= SMALL_URLS ? SMALL_LANE : LARGE_LANE;
}

/**
 * Sets the columns of a sitemap that gets another upload (ON CONFLICT). A comparison costs as much as an upload of 100 URLs: of uploads
 * that follow each other faster, the last is compared. One that is under way ends first. A base of many URLs may wait since an
 * earlier upload.
 */
export const COMPARE_NEXT = `
  compare_at = greatest(now(), sitemaps.compared_at + interval '10 seconds', sitemaps.comparing_until),
  compare_account = excluded.compare_account,
  compare_lane = greatest(excluded.compare_lane, CASE WHEN sitemaps.compare_at IS NOT NULL THEN sitemaps.compare_lane END)`;
