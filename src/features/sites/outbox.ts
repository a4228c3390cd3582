/**
 * The keys of objects with changed URLs that wait to be submitted. An object has one URL per line, gzipped.
 *
 * ```
 * indexnow/<domainId>/<uploadId>-<random>/<n>.txt.gz     URLs of one host; n is from 1
 * ```
 */
export const OUTBOX_PREFIX = 'indexnow/';
/** The prefix of all keys of a domain. */
export const outboxOfDomain = (domainId: string) => `${OUTBOX_PREFIX}${domainId}/`;
/** The prefix of the keys of one comparison of an upload. `random` differs for each comparison. */
export const outboxPrefix = (domainId: string, uploadId: string, random: string) =>
  `${outboxOfDomain(domainId)}${uploadId}-${random}/`;
export const outboxKey = (prefix: string, n: number) => `${prefix}${n}.txt.gz`;
