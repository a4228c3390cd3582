/** Reads the files of a comparison ahead. Reads the stored hashes of a file's entries, or the file itself if it has no hashes. */
import { randomBytes } from 'node:crypto';
import { DamagedFile, type FileText, type Side, type StoredFile } from '../entries/entry-kernel.ts';
import { free, inflateFile } from '../entries/inflate-file.ts';
import { type FileHashes, MIN_HASHED_ENTRIES, readFileHashes } from '../sites/file-hashes.ts';
import type { AnswerAsk, CompareTask } from './thread-messages.ts';

const READ_AHEAD = 3;

/** A file to compare. Its memory is freed when the caller asks for the next file. `place`: the number of the file in the list, from 1. */
export type ReadFile = { readonly file: StoredFile; readonly place: number } & (
  | { readonly hashes: FileHashes; readonly text?: never }
  | { readonly hashes?: never; readonly text: FileText }
);

/** Yields the files in order, and meanwhile reads the next files. Throws DamagedFile. */
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
  /** Whether the first file of a list has hashes. If no first file has hashes, the hashes of other files are not asked for. */
  readonly areThere: boolean;
  /** Whether the first files of both sides have hashes with this seed. */
  readonly onBothSides: boolean;
}

/** Looks for stored hashes at the first file of each side only. Nearly always, all large files of an upload have hashes or none has. */
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
  return object && readFileHashes(object, entries);
}

/** Returns the gzip bytes of a file. Throws DamagedFile. */
export async function readStored(ask: AnswerAsk, side: Side, { n }: StoredFile): Promise<Uint8Array> {
  const stored = await ask({ kind: 'read', side, n });
  if (stored === undefined) throw new DamagedFile(`file ${n} of the ${side} upload is missing`);
  return stored;
}
