/** Writes changed files of a live generation again, and further files for the entries that fit into none of them. */
import { EntryTranscoder } from '../../../core/sitemap/entry-transcoder.ts';
import { joinBytes } from '../../../platform/join-bytes.ts';
import type { StoredFile } from '../../entries/entry-kernel.ts';
import { free } from '../../entries/inflate-file.ts';
import { type CutFile, cutFiles } from '../../sites/cut-files.ts';
import type { Fragment } from '../../sites/fragment.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';
import { hashesOf } from '../staged-hashes.ts';
import type { EntryReader, FileEntries } from './entry-reader.ts';
import type { EntryTexts } from './entry-texts.ts';
import { FragmentMaker } from './make-fragments.ts';
import type { PlacedFile, PlaceTask, Position } from './messages.ts';
import type { FilePlan } from './plan-files.ts';
import { Queue, Rewriting } from './rewrite-file.ts';

interface FilesWriterOptions extends Pick<PlaceTask, 'seed' | 'former' | 'entriesPerFile'> {
  readonly reader: EntryReader;
  /**
   * Stores a file. Files are numbered from 1, in the order of these calls. `urlsOf`: a former file that has all URLs of the new file.
   * Undefined if no former file is known to have them all.
   */
  readonly send: (file: PlacedFile, urlsOf: StoredFile | undefined) => Promise<unknown>;
  /** Called with the XML of each entry that a former file loses, unless the file loses all its entries. */
  readonly onLost?: (xml: Uint8Array) => void;
  /** The transcoder. It serves one writer at a time. */
  readonly transcoder?: EntryTranscoder;
}

export class FilesWriter {
  readonly #options: FilesWriterOptions;
  readonly #queue = new Queue();
  readonly #maker: FragmentMaker;
  #placed = 0;

  constructor(options: FilesWriterOptions) {
    this.#options = options;
    this.#maker = new FragmentMaker(options.transcoder ?? new EntryTranscoder(options.seed));
  }

  /** Returns the file at each position of the new generation. `texts` has the wanted entries. Throws DamagedFile. */
  async write({ edits, isEmpty, last, added }: FilePlan, texts: EntryTexts): Promise<Position[]> {
    const { former, entriesPerFile, reader, onLost } = this.#options;
    for (const text of added) this.#queue.push(text);
    const tools = { reader, maker: this.#maker, texts, onLost };
    const ahead = new ReadAhead(
      reader,
      former.filter((_, i) => !isEmpty[i] && edits[i]!.length > 0),
    );
    const positions: (Position | undefined)[] = [];
    const further: Position[] = [];
    for (const [i, file] of former.entries()) {
      const hasRoom = edits[i]!.length > 0 || file.entries < entriesPerFile;
      const takesQueued = i === last && hasRoom && this.#queue.first !== undefined;
      if (isEmpty[i]) positions.push(undefined);
      else if (edits[i]!.length === 0 && !takesQueued) positions.push({ former: file.n });
      else {
        const { stored, entries } = await ahead.read(file);
        const task = { file, edits: edits[i]!, takesQueued, queue: this.#queue, maxEntries: entriesPerFile };
        const fragments = new Rewriting(tools, entries, task).run(stored);
        // The file may be empty now, because its changed entries went to other files. Or it becomes several files, because its fragments do
        // not fit into one.
        const [first, ...others] = await this.#send(fragments, takesQueued ? undefined : file);
        free(stored);
        reader.release(entries);
        positions.push(first);
        further.push(...others);
      }
    }
    further.push(...(await this.#writeQueue(texts)));
    return compact(positions, further);
  }

  /** Writes the entries that no former file takes. */
  async #writeQueue(texts: EntryTexts): Promise<Position[]> {
    const queue = this.#queue;
    const maker = this.#maker;
    function* fragments(): Generator<Fragment, void, undefined> {
      for (; queue.first !== undefined; queue.shift()) {
        maker.addOne(texts.at(queue.first));
        // The entry filled its fragment.
        if (maker.room === ENTRIES_PER_FRAGMENT) yield* maker.take();
      }
      yield* maker.take();
    }
    return this.#send(fragments(), undefined);
  }

  async #send(fragments: Iterable<Fragment>, urlsOf: StoredFile | undefined): Promise<Position[]> {
    const sent: Position[] = [];
    for await (const file of cutFiles(fragments, () => this.#options.entriesPerFile)) {
      await this.#options.send(this.#pack(file), urlsOf);
      sent.push({ placed: ++this.#placed });
    }
    return sent;
  }

  #pack(file: CutFile): PlacedFile {
    const { entries, bytes, etag } = file;
    const hashes = hashesOf(file, this.#options.seed);
    return { entries, bytes, etag, content: joinBytes(file.parts), hashes: hashes && joinBytes(hashes) };
  }
}

interface ReadFile {
  /** The gzip bytes. */
  readonly stored: Uint8Array;
  readonly entries: FileEntries;
}

/** Reads the next file while the current file is written. */
class ReadAhead {
  readonly #reader: EntryReader;
  readonly #files: Iterator<StoredFile>;
  #next: { readonly file: StoredFile; readonly reading: Promise<ReadFile> } | undefined;

  /** `files`: the files that are surely read, in order. */
  constructor(reader: EntryReader, files: readonly StoredFile[]) {
    this.#reader = reader;
    this.#files = files.values();
    this.#begin();
  }

  /** Throws DamagedFile. */
  async read(file: StoredFile): Promise<ReadFile> {
    if (this.#next?.file !== file) return this.#read(file);
    const read = await this.#next.reading;
    this.#begin();
    return read;
  }

  #begin(): void {
    const { value: file } = this.#files.next();
    this.#next = file && { file, reading: this.#read(file) };
    // The error of a read is thrown where the read is awaited.
    this.#next?.reading.catch(() => {});
  }

  async #read(file: StoredFile): Promise<ReadFile> {
    const [stored, entries] = await Promise.all([
      this.#reader.stored('former', file),
      this.#reader.read('former', file),
    ]);
    return { stored, entries };
  }
}

/** Numbers the files without gaps. The next further file moves into each gap, or the last file if there is no further one. */
function compact(positions: readonly (Position | undefined)[], further: readonly Position[]): Position[] {
  const files = [...positions];
  const more = [...further];
  for (let i = 0; i < files.length; i++) {
    if (files[i] !== undefined) continue;
    while (files.length > i && files.at(-1) === undefined) files.pop();
    if (i >= files.length && more.length === 0) break;
    files[i] = more.shift() ?? files.pop();
  }
  return [...(files as Position[]), ...more];
}
