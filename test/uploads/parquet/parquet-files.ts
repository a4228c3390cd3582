/** Writes Parquet files with hyparquet-writer, an independent program, and reads them as an upload does. */
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type CompressionCodec, type FileMetaData, parquetMetadata, type SchemaElement } from 'hyparquet';
import { ByteWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { afterAll } from 'vitest';
import { EntryReader } from '../../../src/core/sitemap/entry-reader.ts';
import { parseDialect } from '../../../src/features/uploads/forms/dialect.ts';
import { entriesOf } from '../../../src/features/uploads/forms/entries-of.ts';
import { parseRecord } from '../../../src/features/uploads/forms/parse-record.ts';
import type { FoundInBody } from '../../../src/features/uploads/forms/read-records.ts';
import type { Batch } from '../../../src/features/uploads/fragment.ts';
import { ParquetReader } from '../../../src/features/uploads/parquet/parquet-reader.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { collect } from '../../support/collect.ts';
import { collectLog } from '../../support/collect-log.ts';
import { inKeptChunks } from '../forms/render-body.ts';

export interface WrittenColumn {
  readonly name: string;
  readonly data: readonly unknown[];
  /** Elements of the schema, without the name of the first. */
  readonly schema: Omit<SchemaElement, 'name'> | readonly SchemaElement[];
}

export const TEXT: Omit<SchemaElement, 'name'> = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
export const timestamp = (unit: 'MILLIS' | 'MICROS' | 'NANOS', isAdjustedToUTC = true) => ({
  type: 'INT64' as const,
  logical_type: { type: 'TIMESTAMP' as const, isAdjustedToUTC, unit },
});

/** LZ4 of literals alone (lz4_Block_format.md). */
function lz4(input: Uint8Array): Uint8Array {
  const more = input.length - 15;
  const lengths = more < 0 ? [] : [...Array(Math.floor(more / 255)).fill(255), more % 255];
  return Buffer.concat([Buffer.from([Math.min(15, input.length) << 4, ...lengths]), input]);
}

export const COMPRESSORS: Partial<Record<CompressionCodec, (input: Uint8Array) => Uint8Array>> = {
  GZIP: gzipSync,
  BROTLI: brotliCompressSync,
  ZSTD: zstdCompressSync,
  LZ4_RAW: lz4,
};

export function writeParquet(
  columns: readonly WrittenColumn[],
  options: {
    readonly codec?: CompressionCodec;
    readonly rowGroupSize?: number;
    readonly pageSize?: number;
    readonly compressors?: typeof COMPRESSORS;
  } = {},
): Buffer {
  const elements = columns.flatMap(({ name, schema }) =>
    Array.isArray(schema)
      ? (schema as SchemaElement[])
      : [{ repetition_type: 'OPTIONAL' as const, ...(schema as SchemaElement), name }],
  );
  const file = parquetWriteBuffer({
    columnData: columns.map(({ name, data }) => ({ name, data: [...data] })),
    schema: [{ name: 'root', num_children: columns.length }, ...elements],
    ...(options.codec !== undefined && COMPRESSORS[options.codec] && { compressors: COMPRESSORS }),
    ...options,
  } as Parameters<typeof parquetWriteBuffer>[0]);
  return Buffer.from(file);
}

/** Replaces the footer. */
export function withFooter(file: Buffer, change: (metadata: FileMetaData) => void): Buffer {
  const metadata = parquetMetadata(
    file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer,
  );
  change(metadata);
  const footer = new ByteWriter();
  writeMetadata(footer, metadata);
  const bytes = file.subarray(0, file.length - 8 - file.readUInt32LE(file.length - 8));
  return Buffer.concat([bytes, Buffer.from(footer.getBytes()), Buffer.from('PAR1')]);
}

/** Creates a reader for the tests of a file. Bodies of one piece need neither database nor store. */
export function createTestReader(silenceMs = 20_000) {
  const reader = new ParquetReader({
    database: {} as never,
    storage: {} as never,
    newId: () => 'upload_a' as never,
    log: collectLog(),
    silenceMs,
  });
  afterAll(() => reader[Symbol.asyncDispose]());
  const batchesOf = (file: Buffer, query: Readonly<Record<string, unknown>> = {}, found: FoundInBody = {}) =>
    collect(reader.readerOf('account_a')(inKeptChunks(file, 50_000), parseDialect('parquet', query), found));

  return {
    batchesOf,
    /** The rows as JSON, before the rules of entries. */
    async rowsOf(file: Buffer, query?: Readonly<Record<string, unknown>>): Promise<unknown[]> {
      return (await batchesOf(file, query)).flatMap((batch) =>
        recordsIn(batch).map((record) => (record === '' ? 'filtered' : JSON.parse(record))),
      );
    },
    /** Returns the entries as they would be published, or their violations. */
    async entriesOf(file: Buffer, query?: Readonly<Record<string, unknown>>): Promise<unknown[]> {
      return (await batchesOf(file, query)).flatMap(parsedIn);
    },
    /** The code and the message, or the number of rows. */
    async outcomeOf(file: Buffer, query?: Readonly<Record<string, unknown>>): Promise<string | number> {
      try {
        return (await batchesOf(file, query)).reduce((sum, { ends }) => sum + ends.length, 0);
      } catch (error) {
        if (error instanceof Refusal) return `${error.code} ${error.message}`;
        throw error;
      }
    },
  };
}

function recordsIn({ bytes, ends }: Pick<Batch, 'bytes' | 'ends'>): string[] {
  const text = Buffer.from(bytes);
  return Array.from(ends, (end, i) => text.toString('utf8', i === 0 ? 0 : ends[i - 1]! + 1, end));
}

function parsedIn(batch: Batch): unknown[] {
  const { json, ends, names, filtered } = entriesOf(batch);
  const reader = new EntryReader(batch.reading!);
  return recordsIn({ bytes: json, ends }).flatMap((record, i) => {
    if (filtered?.[i] === 1) return [];
    const parsed = parseRecord(record, i, batch.firstIndex + i, names, reader);
    if (typeof parsed === 'symbol') throw new Error(`row ${i} is malformed: ${record}`);
    return [
      'entry' in parsed
        ? parsed.entry
        : parsed.violations.map(({ line, field, message }) => `${line} ${field} ${message}`),
    ];
  });
}
