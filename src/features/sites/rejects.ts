/**
 * The keys of lists of entries that uploads left out, in gzipped lines. A list is not below the prefix of its upload, because the files of
 * the upload may be deleted sooner or later than the list.
 *
 * ```
 * rejects/<accountId>/<uploadId>/<n>.ndjson.gz     n is from 1
 * ```
 */
export const REJECTS_PREFIX = 'rejects/';
export const rejectsPrefix = (accountId: string, uploadId: string) =>
  `${REJECTS_PREFIX}${accountId}/${uploadId}/`;
export const rejectsKey = (prefix: string, n: number) => `${prefix}${n}.ndjson.gz`;
