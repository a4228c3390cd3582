/** Makes the listing of an upload: its files, with the bytes of small ones. */
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { IndexFile } from './index-file.ts';
import { type Listing, uploadFileKey } from './site.ts';
import type { LiveSitemap, SitemapFile } from './site-store.ts';
import type { SmallContents } from './small-file-store.ts';

/** The uploads whose small files are in the listing. */
export const uploadsOfSmallFiles = (files: readonly SitemapFile[]): string[] => [
  ...new Set(files.filter(({ isSmall }) => isSmall).map(({ fileUploadId }) => fileUploadId)),
];

/** The error for a small file that is gone. After we read the rows of the site, its upload was replaced and collected. */
export class SmallFileGone extends Error {
  override readonly name = 'SmallFileGone';
}

/** Throws SmallFileGone if `contents` lacks a small file. */
export function listingOf(
  { uploadId, files }: Pick<LiveSitemap, 'uploadId' | 'files'>,
  index: IndexFile | undefined,
  contents: SmallContents,
): Listing {
  return {
    index: index?.stored ?? null,
    files: files.map((file, i) => {
      if (!file.isSmall) return describe(file, uploadId, i + 1);
      const content = contents.get(uploadFileKey(file.fileUploadId, file.uploadN));
      if (content === undefined)
        throw new SmallFileGone(`small file ${file.uploadN} of ${file.fileUploadId}`);
      return { ...describe(file, uploadId, i + 1), content: content.toString('base64') };
    }),
  };
}

/** Describes file n of a listing, without its bytes. */
function describe(file: SitemapFile, uploadId: string, n: number): Listing['files'][number] {
  const { fileUploadId, uploadN, isSmall, lastModified, ...rest } = file;
  return {
    ...rest,
    lastModified: isoSeconds(lastModified),
    ...(fileUploadId !== uploadId && { uploadId: fileUploadId }),
    ...(uploadN !== n && { n: uploadN }),
  };
}

/** The least length of a file in JSON, without its content. The names of the members, the etag and the time alone have so many bytes. */
const LEAST_FILE_BYTES = 100;
const contentBytes = (gzipBytes: number) => ',"content":""'.length + 4 * Math.ceil(gzipBytes / 3);

/**
 * Returns the length of the listing as JSON, without reading its small files. If a cheap lower bound of the length exceeds `room`, returns
 * this bound.
 */
export function listingBytes(
  { uploadId, files }: Pick<LiveSitemap, 'uploadId' | 'files'>,
  index: IndexFile | undefined,
  room: number,
): number {
  let contents = 0;
  for (const { isSmall, gzipBytes } of files) if (isSmall) contents += contentBytes(gzipBytes);
  const least = files.length * LEAST_FILE_BYTES + contents;
  if (least > room) return least;
  const described = files.map((file, i) => describe(file, uploadId, i + 1));
  return JSON.stringify({ index: index?.stored ?? null, files: described }).length + contents;
}
