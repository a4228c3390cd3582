/** Reads the beginning of a file, and tells how the file is compressed. */
import { PREVIEW_BYTES } from '../../../api/preview.ts';
import type { Encoding } from '../file-form.ts';

const SIGNATURES: readonly (readonly [Encoding, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
];

/** The first bytes of a file, decompressed. */
interface FileHead {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the file ends after these bytes. */
  readonly isWhole: boolean;
}

export interface ReadHead {
  readonly encoding: Encoding | undefined;
  /** Undefined if this browser cannot decompress the file, or if the file is damaged. */
  readonly head: FileHead | undefined;
  /** What is wrong with the compression, for people. */
  readonly problem?: string;
}

/** `named`: the encoding by the name of the file. If the first bytes say something else, they decide. Throws if the file cannot be read. */
export async function readHead(file: Blob, named: Encoding | undefined): Promise<ReadHead> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer());
  const isWhole = file.size <= PREVIEW_BYTES;
  const found = SIGNATURES.find(([, start]) => start.every((byte, i) => bytes[i] === byte))?.[0];
  if (found === undefined && (named === 'gzip' || named === 'zstd')) {
    const problem = `The name says that the file is compressed with ${named}, but it is not.`;
    return { encoding: undefined, head: { bytes, isWhole }, problem };
  }
  // Brotli has no signature.
  const encoding = found ?? named;
  if (encoding === undefined) return { encoding, head: { bytes, isWhole } };
  const head = await decompressed(bytes, isWhole, encoding);
  if (head?.bytes.length === 0) {
    return { encoding, head: undefined, problem: `The file is compressed with ${encoding}, but damaged.` };
  }
  return { encoding, head };
}

const STREAM_FORMATS: Readonly<Record<Encoding, string>> = { gzip: 'gzip', zstd: 'zstd', br: 'brotli' };

async function decompressed(
  bytes: Uint8Array<ArrayBuffer>,
  isWhole: boolean,
  encoding: Encoding,
): Promise<FileHead | undefined> {
  let stream: DecompressionStream;
  try {
    stream = new DecompressionStream(STREAM_FORMATS[encoding] as CompressionFormat);
  } catch {
    return undefined;
  }
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const text = new Uint8Array(new ArrayBuffer(PREVIEW_BYTES));
  let length = 0;
  let isEnd = false;
  try {
    while (length < PREVIEW_BYTES && !isEnd) {
      const { value, done } = await reader.read();
      isEnd = done;
      const part = value?.subarray(0, PREVIEW_BYTES - length) ?? new Uint8Array();
      text.set(part, length);
      length += part.length;
    }
  } catch {
    // The input was cut here, or it is damaged. In the second case the service refuses the file.
  }
  void reader.cancel().catch(() => {});
  return { bytes: text.subarray(0, length), isWhole: isWhole && isEnd };
}
