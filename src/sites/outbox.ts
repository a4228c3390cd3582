/**
 * The keys of changed URLs that wait to be submitted. One URL per line, gzipped.
 *
 * ```
 * indexnow/<domainId>/<uploadId>-<random>/<n>.txt.gz     of one host, from 1
 * ```
 */
export const OUTBOX_PREFIX = 'indexnow/';
/** Begins the keys of all objects of a domain. */
export const outboxOfDomain = (domainId: string) => `${OUTBOX_PREFIX}${domainId}/`;
/** `random`: another one each time that the upload is compared. */
export const outboxPrefix = (domainId: string, uploadId: string, random: string) =>
  `${outboxOfDomain(domainId)}${uploadId}-${random}/`;
export const outboxKey = (prefix: string, n: number) => `${prefix}${n}.txt.gz`;
