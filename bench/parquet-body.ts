/** Makes Parquet files of the plain entries of the other forms, in row groups as DuckDB has them. */
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { ByteWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { generatedEntry } from '../tools/generated-upload.ts';

const GROUP_ROWS = 122_880;
const MAGIC = Buffer.from('PAR1');

export function parquetFile(count: number): Buffer {
  const entries = Array.from({ length: count }, (_, i) => generatedEntry(i));
  const file = parquetWriteBuffer({
    columnData: [
      { name: 'loc', data: entries.map(({ loc }) => loc), type: 'STRING' },
      { name: 'lastmod', data: entries.map(({ lastmod }) => new Date(`${lastmod}`)), type: 'TIMESTAMP' },
      { name: 'changefreq', data: entries.map(({ changefreq }) => changefreq), type: 'STRING' },
      { name: 'priority', data: entries.map(({ priority }) => priority), type: 'DOUBLE' },
    ],
    rowGroupSize: GROUP_ROWS,
  });
  return Buffer.from(file);
}

/** Yields a file that has the row groups of `file` `repeat` times. */
export function* repeatedParquet(file: Buffer, repeat: number): Generator<Buffer, void, undefined> {
  const footer = file.length - 2 * MAGIC.length - file.readUInt32LE(file.length - 2 * MAGIC.length);
  const groups = file.subarray(MAGIC.length, footer);
  const metadata = parquetMetadata(Uint8Array.from(file).buffer);
  yield MAGIC;
  for (let i = 0; i < repeat; i++) yield groups;
  const all = {
    ...metadata,
    num_rows: metadata.num_rows * BigInt(repeat),
    row_groups: Array.from({ length: repeat }, (_, i) => movedBy(metadata, i * groups.length)).flat(),
  };
  const writer = new ByteWriter();
  writeMetadata(writer, all);
  yield Buffer.from(writer.getBytes());
  yield MAGIC;
}

function movedBy({ row_groups: groups }: FileMetaData, bytes: number): FileMetaData['row_groups'] {
  const moved = (offset: bigint) => offset + BigInt(bytes);
  return groups.map(({ columns, file_offset: _, ...group }) => ({
    ...group,
    columns: columns.map(({ file_offset, meta_data }) => ({
      file_offset: moved(file_offset),
      meta_data: {
        ...meta_data!,
        data_page_offset: moved(meta_data!.data_page_offset),
        ...(meta_data!.dictionary_page_offset !== undefined && {
          dictionary_page_offset: moved(meta_data!.dictionary_page_offset),
        }),
      },
    })),
  }));
}
