/** The limits of the URLs that wait for submission, and of requests to search engines. */

/** The most URLs in one request, by the protocol, and so in one batch. */
export const MAX_URLS_PER_BATCH = 10_000;
/** The most page hosts of a domain. Their keys are in site.json. */
export const MAX_HOSTS = 100;
/** The most batches of a host from one upload: ten million URLs. */
export const MAX_BATCHES_OF_UPLOAD = 1000;
/** The most waiting URLs of a host. */
export const MAX_WAITING_URLS = 10_000_000;
/** The most waiting batches of a host. Each group of deltas makes a batch, so a host may have 86,400 in a day. */
export const MAX_WAITING_BATCHES = 10_000;
/** The most batches in one request. Each group of deltas makes a batch. The column `together` has the same default. */
export const MAX_BATCHES_PER_REQUEST = 500;
/** The age at which a batch is dropped. Search engines find older changes in the sitemap. */
export const MAX_AGE_DAYS = 7;
/** One of so many requests is for batches that have failed, because newer batches may come all the time. */
export const FAILED_EVERY = 4;
/** After so many requests of a host on a day, the pause between two is 30 times as long: a minute. */
export const QUICK_REQUESTS = 500;
/** The most refused requests of a host on a day. */
export const MAX_REFUSED_REQUESTS = 100;
/** The most refused requests of an account on a day. Beyond it, only hosts whose last request was not refused go on. */
export const MAX_REFUSED_OF_ACCOUNT = 1000;
/** After so many refused requests in a row, a request has one URL, until one is accepted. */
export const SINGLE_URLS_AFTER = 4;
/** After so many refused requests in a row, the host waits before each request. */
export const WAIT_AFTER = 8;
