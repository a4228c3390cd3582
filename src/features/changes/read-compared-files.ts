/** Reads the files of a comparison ahead: the hashes of a file's entries, or the file itself if it has none. */
import { randomBytes } from 'node:crypto';
import { DamagedFile, type FileText, type Side, type StoredFile } from '../entries/entry-kernel.ts';
import { free, inflateFile } from '../entries/inflate-file.ts';
import { type FileHashes, MIN_HASHED_ENTRIES, readFileHashes } from '../sites/file-hashes.ts';
import type { AnswerAsk, CompareTask } from './thread-messages.ts';

const READ_AHEAD = 3;

/** A file that is to be compared. Its memory is freed when the next file is asked for. `place`: its number in the list, from 1. */
export type ReadFile = { readonly file: StoredFile; readonly place: number } & (
  | { readonly hashes: FileHashes; readonly text?: never }
  | { readonly hashes?: never; readonly text: FileText }
);

/** Yields the files in order, while the next ones are already being read. Throws DamagedFile. */
export async function* readComparedFiles(
  ask: AnswerAsk,
  { seed, areThere }: FoundHashes,
  side: Side,
  files: readonly StoredFile[],
): AsyncGenerator<ReadFile, void, undefined> {
  const readOne = async (file: StoredFile) => {
    const hashes = areThere ? await readHashes(ask, side, file) : undefined;
    if (hashes?.seed === seed) return hashes;
    if (hashes !== undefined) free(hashes.hashes);
    return readStored(ask, side, file);
  };
  const underWay: ReturnType<typeof readOne>[] = [];
  const readNext = () => {
    const file = files[place + underWay.length];
    if (file === undefined) return;
    const reading = readOne(file);
    // The error of a read is thrown where the read is awaited.
    reading.catch(() => {});
    underWay.push(reading);
  };
  let place = 0;
  for (let i = 0; i < READ_AHEAD; i++) readNext();
  for (const file of files) {
    const read = await underWay.shift()!;
    place++;
    readNext();
    if ('hashes' in read) {
      yield { file, place, hashes: read };
      free(read.hashes);
    } else {
      using xml = inflateFile(read, file);
      yield { file, place, text: { pieces: [xml.bytes], entries: file.entries } };
    }
  }
}

export interface FoundHashes {
  /** The seed of the stored hashes, or a random one. */
  readonly seed: bigint;
  /** Whether the first file of one of the lists has hashes. If not, no other file is asked for its hashes. */
  readonly areThere: boolean;
  /** Whether the first files of both sides have hashes with this seed. */
  readonly onBothSides: boolean;
}

/** Looks for stored hashes, at the first file of each side: nearly always all large files of an upload have hashes, or none has. */
export async function findHashes(
  ask: AnswerAsk,
  { live, former, counted }: CompareTask,
): Promise<FoundHashes> {
  const seedOf = async (side: Side, [file]: readonly StoredFile[]) => {
    const hashes = file && (await readHashes(ask, side, file));
    if (hashes !== undefined) free(hashes.hashes);
    return hashes?.seed;
  };
  const [ofLive, ofFormer] = [await seedOf('live', live), await seedOf('former', former)];
  const seed = ofLive ?? ofFormer ?? (await seedOf('live', counted));
  return {
    seed: seed ?? randomBytes(8).readBigUInt64LE(),
    areThere: seed !== undefined,
    onBothSides: ofLive !== undefined && ofLive === ofFormer,
  };
}

async function readHashes(
  ask: AnswerAsk,
  side: Side,
  { n, entries }: StoredFile,
): Promise<FileHashes | undefined> {
  if (entries < MIN_HASHED_ENTRIES) return undefined;
  const object = await ask({ kind: 'hashes', side, n });
  return object && readFileHashes(asBuffer(object), entries);
}

/** Returns the gzip bytes of a file. Throws DamagedFile. */
export async function readStored(ask: AnswerAsk, side: Side, { n }: StoredFile): Promise<Uint8Array> {
  const stored = await ask({ kind: 'read', side, n });
  if (stored === undefined) throw new DamagedFile(`file ${n} of the ${side} upload is missing`);
  return stored;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
