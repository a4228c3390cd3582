/** The SQL of small files. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { uploadFileKey } from './site.ts';

export interface SmallFile {
  readonly uploadId: string;
  readonly n: number;
  /** The gzip bytes. */
  readonly content: Buffer;
}

/** The rows of the uploads must exist already. */
export async function insertSmallFiles(transaction: Transaction, files: readonly SmallFile[]): Promise<void> {
  if (files.length === 0) return;
  await transaction.query(
    // The statement may be sent behind one that inserts tens of thousands of files.
    slowStatement(
      'INSERT INTO small_files (upload_id, n, content) SELECT * FROM unnest($1::text[], $2::integer[], $3::bytea[])',
      [files.map(({ uploadId }) => uploadId), files.map(({ n }) => n), files.map(({ content }) => content)],
      'insert-small-files',
    ),
  );
}

/** The bytes of small files, by the keys of the objects that they replace (`uploadFileKey`). */
export type SmallContents = ReadonlyMap<string, Buffer>;

export async function readSmallFiles(
  queryable: Queryable,
  uploadIds: readonly string[],
): Promise<SmallContents> {
  if (uploadIds.length === 0) return new Map();
  const { rows } = await queryable.query<SmallFile>(
    slowStatement(
      'SELECT upload_id AS "uploadId", n, content FROM small_files WHERE upload_id = ANY($1)',
      [uploadIds],
      'read-small-files',
    ),
  );
  return new Map(rows.map(({ uploadId, n, content }) => [uploadFileKey(uploadId, n), content]));
}

/** Reads a small file. Returns undefined if the file is gone, or is stored as an object. */
export async function findSmallFile(
  queryable: Queryable,
  uploadId: string,
  n: number,
): Promise<Buffer | undefined> {
  const { rows } = await queryable.query<{ content: Buffer }>(
    'SELECT content FROM small_files WHERE upload_id = $1 AND n = $2',
    [uploadId, n],
  );
  return rows[0]?.content;
}
