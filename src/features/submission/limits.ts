/** The limits of the URLs that wait for submission. */

/** The most URLs in one request, by the protocol. */
export const MAX_URLS_PER_BATCH = 10_000;
/** The most page hosts of a domain. Their keys are in site.json. */
export const MAX_HOSTS = 100;
/** The most waiting batches of a host: ten million URLs. */
export const MAX_WAITING_BATCHES = 1000;
/** The age at which a batch is dropped. Search engines find older changes in the sitemap. */
export const MAX_AGE_DAYS = 7;
