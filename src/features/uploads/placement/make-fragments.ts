/** Makes fragments of the XML of entries. */
import type { EntryTranscoder } from '../../../core/sitemap/entry-transcoder.ts';
import { NAMESPACE } from '../../../core/sitemap/namespaces.ts';
import { FRAGMENT_XML_BYTES, type Fragment } from '../../sites/fragment.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';

const NEWS_ENTRY = '<news:news>';

/** Takes the XML of entries one after the other. */
export class FragmentMaker {
  readonly #transcoder: EntryTranscoder;
  readonly #made: Fragment[] = [];
  #entries = 0;
  #newsEntries = 0;
  #namespaces = 0;

  /** `transcoder` serves one maker at a time. It has the seed of the hashes of entries. */
  constructor(transcoder: EntryTranscoder) {
    this.#transcoder = transcoder;
    this.#transcoder.load(new Uint8Array(0), new Uint32Array(0));
  }

  /** The number of entries for which the current fragment has room. It is never 0. */
  get room(): number {
    return ENTRIES_PER_FRAGMENT - this.#entries;
  }

  /** Adds entries, at most `room` of them. `arePlain`: whether they are known to have only elements of the sitemap protocol. */
  add(xml: Buffer, entries: number, arePlain: boolean): void {
    this.#transcoder.appendRendered(xml);
    this.#entries += entries;
    if (!arePlain) {
      this.#newsEntries += countNews(xml);
      this.#namespaces |= namespacesIn(xml);
    }
    if (this.room === 0 || this.#transcoder.heldBytes >= FRAGMENT_XML_BYTES) this.#close();
  }

  addOne(xml: Buffer): void {
    this.add(xml, 1, false);
  }

  /** Returns the fragments since the last call. */
  take(): Fragment[] {
    if (this.#entries > 0) this.#close();
    return this.#made.splice(0);
  }

  #close(): void {
    const { digest: _, ...taken } = this.#transcoder.take();
    const counts = { entries: this.#entries, newsEntries: this.#newsEntries, namespaces: this.#namespaces };
    this.#made.push({ ...taken, ...counts });
    this.#entries = this.#newsEntries = this.#namespaces = 0;
  }
}

/** Counts the entries with news. The text of an element has no `<`, so NEWS_ENTRY stands only where an element begins. */
export function countNews(xml: Buffer): number {
  let count = 0;
  for (let at = xml.indexOf(NEWS_ENTRY); at >= 0; at = xml.indexOf(NEWS_ENTRY, at + NEWS_ENTRY.length))
    count++;
  return count;
}

function namespacesIn(xml: Buffer): number {
  let mask = 0;
  for (const [prefix, bit] of Object.entries(NAMESPACE)) if (xml.includes(`<${prefix}:`)) mask |= bit;
  return mask;
}
