/** Reads the bytes of sitemap files. A small file is in Postgres, and a larger file is an object (`small-files.ts`). */
import { Readable } from 'node:stream';
import type { Queryable } from '../../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { uploadFileKey } from './site.ts';
import { findSmallFile, readSmallFiles, type SmallContents } from './small-file-store.ts';

export interface UploadFilePlaces {
  readonly database: Queryable;
  readonly storage: Pick<ObjectStorage, 'get'>;
}

/** Returns the gzip bytes of file `n`, in memory that the caller may transfer, or undefined if the file is gone. */
export type ReadUploadFile = (uploadId: string, n: number) => Promise<Buffer | undefined>;

/** Reads files of these uploads. The first read fetches all small files of the uploads with one statement. */
export function createReadUploadFile(
  { database, storage }: UploadFilePlaces,
  uploadIds: readonly string[],
): ReadUploadFile {
  let small: Promise<SmallContents> | undefined;
  return async (uploadId, n) => {
    const key = uploadFileKey(uploadId, n);
    small ??= readSmallFiles(database, uploadIds);
    const content = (await small).get(key);
    return content === undefined ? readObject(storage, key) : Buffer.from(content);
  };
}

/** Streams the gzip bytes of one file. Returns undefined if the file is gone. The caller must read or destroy the stream. */
export async function openUploadFile(
  { database, storage }: UploadFilePlaces,
  uploadId: string,
  n: number,
): Promise<Readable | undefined> {
  const content = await findSmallFile(database, uploadId, n);
  if (content !== undefined) return Readable.from([content]);
  return (await storage.get(uploadFileKey(uploadId, n)))?.body;
}
