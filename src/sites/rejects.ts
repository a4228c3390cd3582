/**
 * The keys of lists of entries that uploads left out, in gzipped lines. Not beside the files of the upload, which may go
 * sooner, or stay longer.
 *
 * ```
 * rejects/<accountId>/<uploadId>/<n>.ndjson.gz     from 1
 * ```
 */
export const REJECTS_PREFIX = 'rejects/';
export const rejectsPrefix = (accountId: string, uploadId: string) =>
  `${REJECTS_PREFIX}${accountId}/${uploadId}/`;
export const rejectsKey = (prefix: string, n: number) => `${prefix}${n}.ndjson.gz`;
