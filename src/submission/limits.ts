/** How much a domain may have waiting. */

/** The limit of the protocol. */
export const MAX_URLS_PER_BATCH = 10_000;
/** Of a domain. Their keys are in site.json. */
export const MAX_HOSTS = 100;
/** Of a host: ten million URLs. */
export const MAX_WAITING_BATCHES = 1000;
/** Search engines find older changes by themselves, in the sitemap. */
export const MAX_AGE_DAYS = 7;
