/**
 * Writes a former file again with some of its entries changed, removed or appended. Copies fragments in which nothing changes.
 */
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import { MAX_FILE_NEWS_ENTRIES, MAX_FILE_XML_BYTES } from '../../../core/sitemap/limits.ts';
import { NAMESPACE, URLSET_FOOTER, urlsetHeader } from '../../../core/sitemap/namespaces.ts';
import { contentDigest } from '../../../platform/content-digest.ts';
import { DamagedFile } from '../../entries/entry-kernel.ts';
import { inflateFile, inflateFragment } from '../../entries/inflate-file.ts';
import type { Fragment, FragmentPlace } from '../../sites/fragment.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';
import type { EntryReader, FileEntries } from './entry-reader.ts';
import { bodyOfFile, type EntryTexts } from './entry-texts.ts';
import { countNews, type FragmentMaker } from './make-fragments.ts';
import type { FormerFile } from './messages.ts';
import { type Edit, REMOVED } from './plan-files.ts';

/** The wanted entries that have no place yet, in order. */
export class Queue {
  readonly #texts: number[] = [];
  #next = 0;

  push(text: number): void {
    this.#texts.push(text);
  }

  get first(): number | undefined {
    return this.#texts[this.#next];
  }

  shift(): void {
    this.#next++;
  }
}

const ALL_NAMESPACES = Object.values(NAMESPACE).reduce((mask, bit) => mask | bit, 0);
const FRAME_BYTES = urlsetHeader(ALL_NAMESPACES).length + URLSET_FOOTER.length;

/** The room that a file has left: its contents so far, compared with its limits. */
class Room {
  #entries: number;
  #bytes: number;
  #news: number;
  readonly #maxEntries: number;

  /** `bytes`: the bytes of the entries. `news`: the number of entries with news. */
  constructor({ file: { entries }, maxEntries }: RewriteTask, bytes: number, news: number) {
    this.#entries = entries;
    this.#bytes = bytes + FRAME_BYTES;
    this.#news = news;
    this.#maxEntries = maxEntries;
  }

  remove(text: Buffer): void {
    this.#entries--;
    this.#bytes -= text.length;
    this.#news -= countNews(text);
  }

  /** Adds an entry, if there is room. Returns whether there was room. */
  add(text: Buffer): boolean {
    const news = countNews(text);
    if (
      this.#entries >= this.#maxEntries ||
      this.#bytes + text.length > MAX_FILE_XML_BYTES ||
      (news > 0 && this.#news + news > MAX_FILE_NEWS_ENTRIES)
    ) {
      return false;
    }
    this.#entries++;
    this.#bytes += text.length;
    this.#news += news;
    return true;
  }
}

interface RewriteTask {
  readonly file: FormerFile;
  /** The edits, by ascending ordinals. */
  readonly edits: readonly Edit[];
  /** Takes the changed entries for which the file has no room. */
  readonly queue: Queue;
  /** Whether the file takes entries of the queue, while it has room. */
  readonly takesQueued: boolean;
  readonly maxEntries: number;
}

interface RewriteTools {
  readonly reader: EntryReader;
  readonly maker: FragmentMaker;
  readonly texts: EntryTexts;
  /** Called with the XML of each entry that the file loses. */
  readonly onLost: ((xml: Uint8Array) => void) | undefined;
}

/** Entries of a file that are written again. */
interface FilePart {
  readonly xml: Uint8Array;
  readonly entries: number;
  readonly hashes: Uint8Array;
  /** The number of entries of the file before this part. */
  readonly first: number;
  readonly edits: readonly Edit[];
  /** Whether the file ends with these entries. */
  readonly isLast: boolean;
  /** Whether the entries are known to have only elements of the sitemap protocol, as in `FragmentMaker.add`. */
  readonly arePlain: boolean;
}

export class Rewriting {
  readonly #tools: RewriteTools;
  readonly #entries: FileEntries;
  readonly #task: RewriteTask;

  constructor(tools: RewriteTools, entries: FileEntries, task: RewriteTask) {
    this.#tools = tools;
    this.#entries = entries;
    this.#task = task;
  }

  /**
   * Returns the fragments of the new file, or none if the file is empty. Fragments may be in the memory of `stored`, so free it only after
   * their use. Throws DamagedFile.
   */
  run(stored: Uint8Array): Fragment[] {
    const { fragments, firstFragmentAt } = this.#entries;
    return fragments === undefined
      ? this.#whole(stored)
      : this.#byFragments(stored, fragments, firstFragmentAt!);
  }

  #byFragments(stored: Uint8Array, places: readonly FragmentPlace[], firstAt: number): Fragment[] {
    const { file, edits } = this.#task;
    // Fragments are copied without being inflated, so nothing else shows damage in them.
    if (contentDigest([stored]) !== file.etag) throw new DamagedFile(`file ${file.n} has other bytes`);
    const sumOf = (name: 'bytes' | 'newsEntries') => places.reduce((sum, place) => sum + place[name], 0);
    const room = new Room(this.#task, sumOf('bytes'), sumOf('newsEntries'));
    const made: Fragment[] = [];
    let [at, first, next] = [firstAt, 0, 0];
    for (const [i, place] of places.entries()) {
      const from = next;
      while (next < edits.length && edits[next]!.ordinal < first + place.entries) next++;
      const isLast = i === places.length - 1;
      const isOpen = isLast && this.#takesMore && place.entries < ENTRIES_PER_FRAGMENT;
      const hashes = this.#hashesOf(first, place.entries);
      if (next > from || isOpen) {
        using xml = inflateFragment(stored, at, place, file.n);
        const part = {
          ...{ xml: xml.bytes, entries: place.entries, hashes, first, isLast },
          edits: edits.slice(from, next),
          arePlain: place.namespaces === 0 && place.newsEntries === 0,
        };
        made.push(...this.#remake(part, room));
      } else {
        const deflated = stored.subarray(at, at + place.deflatedBytes) as Uint8Array<ArrayBuffer>;
        const { deflatedBytes: _, ...rest } = place;
        made.push({ ...rest, deflated, hashes, origin: this.#entries.origin });
        if (isLast) {
          this.#addQueued(room);
          made.push(...this.#tools.maker.take());
        }
      }
      at += place.deflatedBytes;
      first += place.entries;
    }
    return made;
  }

  /** Makes all fragments of a file again, because its former fragments are not known. */
  #whole(stored: Uint8Array): Fragment[] {
    const { file, edits } = this.#task;
    const { n, entries } = file;
    using xml = inflateFile(stored, file);
    const body = bodyOfFile(xml.bytes, n);
    const hashes = this.#hashesOf(0, entries);
    const whole = { xml: body, entries, hashes, first: 0, edits, isLast: true, arePlain: false };
    return this.#remake(whole, new Room(this.#task, body.length, countNews(body)));
  }

  #remake({ xml, entries, hashes, first, edits, isLast, arePlain }: FilePart, room: Room): Fragment[] {
    // If the hashes are of another file, the edits change or remove the wrong entries.
    const { reader, maker, texts, onLost } = this.#tools;
    const { hashes: found, starts } = reader.entriesOfPart(xml, entries);
    if (Buffer.compare(found, hashes) !== 0) {
      throw new DamagedFile(`file ${this.#task.file.n} does not have its hashes`);
    }
    const text = Buffer.from(xml.buffer as ArrayBuffer, xml.byteOffset, xml.byteLength);
    let i = 0;
    const keepUntil = (to: number) => {
      while (i < to) {
        const next = Math.min(to, i + maker.room);
        maker.add(text.subarray(starts[i]!, starts[next]!), next - i, arePlain);
        i = next;
      }
    };
    for (const edit of edits) {
      keepUntil(edit.ordinal - first);
      const lost = text.subarray(starts[i]!, starts[i + 1]!);
      room.remove(lost);
      onLost?.(lost);
      i++;
      if (edit.text === REMOVED) continue;
      const changed = texts.at(edit.text);
      if (room.add(changed)) maker.addOne(changed);
      else this.#task.queue.push(edit.text);
    }
    keepUntil(entries);
    if (isLast) this.#addQueued(room);
    return maker.take();
  }

  /** Adds entries of the queue while there is room. */
  #addQueued(room: Room): void {
    const { maker, texts } = this.#tools;
    while (this.#takesMore) {
      const text = texts.at(this.#task.queue.first!);
      if (!room.add(text)) break;
      maker.addOne(text);
      this.#task.queue.shift();
    }
  }

  get #takesMore(): boolean {
    return this.#task.takesQueued && this.#task.queue.first !== undefined;
  }

  #hashesOf(first: number, entries: number): Uint8Array<ArrayBuffer> {
    const { hashes } = this.#entries;
    return hashes.subarray(first * HASHES_BYTES, (first + entries) * HASHES_BYTES) as Uint8Array<ArrayBuffer>;
  }
}
