/**
 * Small files have no object of their own (docs/decisions/0038). Their bytes are in Postgres, and in the listing of their upload as base64.
 * A small listing is in `site.json`, so hosting needs one read for a site and its small files.
 */

/** The most gzip bytes of a small file. */
export const SMALL_FILE_BYTES = 16 * 1024;
/** The most bytes of all small files of an upload. Further files are objects. */
export const MAX_SMALL_BYTES = 64 * 1024;
/** The most bytes of listings in `site.json`, as JSON. 64 KiB of files are 88 KiB of base64. */
export const MAX_LISTINGS_BYTES = 96 * 1024;

/**
 * Whether the next generation may get further small files beside these. An upload has few small files, but those of thousands of deltas add
 * up, and hosting reads all of them with the listing. A file of the size of a small file counts even if it is an object.
 */
export function hasRoomForSmall(files: readonly { readonly gzipBytes: number }[]): boolean {
  let bytes = 0;
  for (const { gzipBytes } of files) if (gzipBytes <= SMALL_FILE_BYTES) bytes += gzipBytes;
  return bytes <= MAX_SMALL_BYTES;
}
