/**
 * A pack: the entries that a generation added or changed in its sitemap, as published, and the URLs that it removed. The sitemap of
 * recent changes is made of packs (docs/decisions/0057). Little-endian:
 *
 * ```
 * u32 × 2    FORM · CRC-32 of all that follows
 * u32 × 5    XML_VERSION · entries · removed URLs · fragments · deflated bytes of the named URLs
 * u32 × 6    for each fragment: deflated bytes · bytes of its XML · their CRC-32 · entries · news entries · namespaces
 * u64        for each entry, then for each removed URL: `keyOfUrl`
 * bytes      some of the removed URLs, a line each, as raw deflate
 * bytes      fragments
 * ```
 */
import { hash } from 'node:crypto';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { XML_VERSION } from '../../core/sitemap/xml-version.ts';
import { joinBytes } from '../../platform/join-bytes.ts';
import { FRAGMENT_XML_BYTES, type Fragment } from '../sites/fragment.ts';
import { fragmentOf } from './fragment-of.ts';
import { KEY_BYTES, KeyList } from './key-list.ts';

const FORM = 0x314b5057;
/** The CRC-32 covers the bytes from here on. */
const SUMMED_FROM = 8;
const HEAD_BYTES = 28;
const FRAGMENT_BYTES = 24;
/** The most entries of a pack, and the most removed URLs. All recent files together have at most as many entries. */
const MAX_PACK_URLS = 500_000;
/** The most deflated bytes of the fragments of a pack, because a pack is in memory as a whole. */
const MAX_PACK_BYTES = 32 * 1024 * 1024;
const ENTRIES_PER_FRAGMENT = 1000;
/** The most removed URLs whose text is in a pack. A feed has at most as many changes. */
export const MAX_NAMED_URLS = 1000;

/**
 * Identifies a URL of a sitemap of a domain: the first 64 bits of a SHA-256. Unlike the hashes of stored files, it has no seed, because
 * jobs processes do not know the seed, and packs with several seeds do not fit together.
 */
export function keyOfUrl(sitemapName: string, loc: string): Buffer {
  return hash('sha256', `${sitemapName}\n${loc}`, 'buffer').subarray(0, KEY_BYTES);
}

/** Packs changes one by one. Memory holds the deflated fragments, and one open fragment. */
export class EntryPacker {
  readonly #sitemapName: string;
  readonly #maxUrls: number;
  readonly #keys = new KeyList();
  readonly #removedKeys = new KeyList();
  readonly #named: string[] = [];
  readonly #fragments: Fragment[] = [];
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #deflatedBytes = 0;
  #isFull = false;

  /** `maxUrls`: the most added and changed entries, and the most removed URLs. Only tests set it. */
  constructor(sitemapName: string, maxUrls = MAX_PACK_URLS) {
    this.#sitemapName = sitemapName;
    this.#maxUrls = maxUrls;
  }

  /** Whether there are too many changes for a pack. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Adds an entry that was added or changed. `xml`: from `<url>` to the line feed after `</url>`; this call copies it. */
  add(loc: string, xml: Uint8Array): void {
    if (this.#keys.count === this.#maxUrls) this.#giveUp();
    if (this.#isFull) return;
    this.#keys.add(keyOfUrl(this.#sitemapName, loc));
    this.#open.push(Buffer.from(xml));
    this.#openBytes += xml.length;
    if (this.#open.length === ENTRIES_PER_FRAGMENT || this.#openBytes >= FRAGMENT_XML_BYTES) this.#close();
  }

  /** Adds a URL that the sitemap no longer has. */
  remove(loc: string): void {
    if (this.#removedKeys.count === this.#maxUrls) this.#giveUp();
    if (this.#isFull) return;
    this.#removedKeys.add(keyOfUrl(this.#sitemapName, loc));
    if (this.#named.length < MAX_NAMED_URLS) this.#named.push(loc);
  }

  /** Returns the pack; undefined if there are too many changes for one. */
  end(): Buffer<ArrayBuffer> | undefined {
    if (this.#open.length > 0) this.#close();
    if (this.#isFull) return undefined;
    const named = deflateRawSync(this.#named.join('\n'));
    const head = Buffer.alloc(HEAD_BYTES + FRAGMENT_BYTES * this.#fragments.length);
    head.writeUInt32LE(FORM, 0);
    const counts = [this.#keys.count, this.#removedKeys.count, this.#fragments.length];
    const numbers = [XML_VERSION, ...counts, named.length];
    const table = this.#fragments.flatMap(({ deflated, bytes, crc, entries, newsEntries, namespaces }) => [
      ...[deflated.length, bytes, crc, entries, newsEntries, namespaces],
    ]);
    for (const [i, number] of [...numbers, ...table].entries()) head.writeUInt32LE(number, 8 + 4 * i);
    const fragments = this.#fragments.map(({ deflated }) => deflated);
    const parts = [head, this.#keys.bytes, this.#removedKeys.bytes, named, ...fragments];
    const pack = Buffer.from(joinBytes(parts).buffer);
    pack.writeUInt32LE(crc32(pack.subarray(SUMMED_FROM)), 4);
    return pack;
  }

  #close(): void {
    const fragment = fragmentOf(this.#open);
    this.#open = [];
    this.#openBytes = 0;
    this.#fragments.push(fragment);
    this.#deflatedBytes += fragment.deflated.length;
    if (this.#deflatedBytes > MAX_PACK_BYTES) this.#giveUp();
  }

  #giveUp(): void {
    this.#isFull = true;
    this.#keys.clear();
    this.#removedKeys.clear();
    for (const list of [this.#named, this.#fragments, this.#open]) list.length = 0;
  }
}

export interface EntryPack {
  /** Whether the XML has the form of this version of Waypost. */
  readonly isOurXml: boolean;
  /** KEY_BYTES for each entry, in the order of the fragments. */
  readonly keys: Buffer;
  readonly removedKeys: Buffer;
  /** The first MAX_NAMED_URLS of the removed URLs. */
  readonly removed: readonly string[];
  readonly fragments: readonly Fragment[];
}

/** Returns undefined if the pack is damaged, or of another form. */
export function readEntryPack(pack: Buffer<ArrayBuffer>): EntryPack | undefined {
  if (pack.length < HEAD_BYTES || pack.readUInt32LE(0) !== FORM) return undefined;
  if (crc32(pack.subarray(SUMMED_FROM)) !== pack.readUInt32LE(4)) return undefined;
  const head = (word: number) => pack.readUInt32LE(8 + 4 * word);
  const [entries, removed, fragmentCount] = [head(1), head(2), head(3)];
  let at = HEAD_BYTES + FRAGMENT_BYTES * fragmentCount;
  const take = (bytes: number) => {
    at += bytes;
    return pack.subarray(at - bytes, at);
  };
  const keys = take(KEY_BYTES * entries);
  const removedKeys = take(KEY_BYTES * removed);
  const named = take(head(4));
  const fragments = Array.from({ length: fragmentCount }, (_, i) => {
    const number = (word: number) => pack.readUInt32LE(HEAD_BYTES + i * FRAGMENT_BYTES + 4 * word);
    const [bytes, crc, count] = [number(1), number(2), number(3)];
    return {
      ...{ deflated: take(number(0)), bytes, crc, entries: count },
      ...{ newsEntries: number(4), namespaces: number(5) },
    };
  });
  return {
    isOurXml: head(0) === XML_VERSION,
    keys,
    removedKeys,
    // Thousands of packs are in memory at once, so inflate the texts of one pack at a time.
    get removed() {
      const text = inflateRawSync(named).toString();
      return text === '' ? [] : text.split('\n');
    },
    fragments,
  };
}
