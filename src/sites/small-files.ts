/**
 * Small files have no object of their own (docs/decisions/0038). Their bytes stand in Postgres, and in the listing of their
 * upload as base64. A small listing stands in `site.json`, so that hosting needs one read for all of it.
 */

/** Of a file: the most gzip bytes. */
export const SMALL_FILE_BYTES = 16 * 1024;
/** Of an upload: the most bytes of small files. Files beyond them are objects. */
export const MAX_SMALL_BYTES = 64 * 1024;
/** Of a site: the most bytes of listings in `site.json`, as JSON. 64 KiB of files are 88 KiB of base64. */
export const MAX_LISTINGS_BYTES = 96 * 1024;
