/**
 * The common entry straight from its JSON bytes to its XML bytes: no string, no object, several times the speed
 * of parsing, validating and rendering it. An optimisation and nothing else: it recognises only what
 * `parseEntry` accepts and `renderEntry` writes in just these bytes, and leaves every other entry to them.
 *
 * ```
 * {"loc":"https://a.example/b","lastmod":"2026-01-15","changefreq":"weekly","priority":0.8}
 *         └───── copied, & and ' escaped      └ checked, copied    └ one of seven     └ 0, 1 or 0.…
 * <url><loc>https://a.example/b</loc><lastmod>2026-01-15</lastmod>…</url>
 * ```
 * Recognised: an object of the members below, in any order, each at most once, `loc` among them, with or without
 * white space between tokens. Everything else is not plain: other members, null, video and news, URLs that
 * must be rewritten, escapes other than of quotes and slashes, rare forms of dates and numbers.
 */
import { NAMESPACE } from './namespaces.ts';
import { PlainObjects, shapeOf, skipSpace, slotsOf } from './plain-object.ts';
import { copyEscaped } from './plain-text.ts';

const IMAGE = shapeOf(1, {
  loc: 'url',
  title: 'text',
  caption: 'text',
  geo_location: 'text',
  license: 'url',
});
const ALTERNATE = shapeOf(2, { href: 'url', hreflang: 'language' });
const ENTRY = shapeOf(1, {
  loc: 'url',
  lastmod: 'date',
  changefreq: 'changefreq',
  priority: 'priority',
  images: IMAGE,
  hreflang: ALTERNATE,
});

// Where the slots of a member are, among those of its object.
const [LOC, LASTMOD, CHANGEFREQ, PRIORITY, IMAGES, ALTERNATES] = [0, 2, 4, 6, 8, 10] as const;
const [IMAGE_LOC, IMAGE_TITLE, IMAGE_CAPTION, IMAGE_GEO_LOCATION, IMAGE_LICENSE] = [0, 2, 4, 6, 8] as const;
const [ALTERNATE_HREF, ALTERNATE_LANGUAGE] = [0, 2] as const;

/**
 * How much longer than its JSON an entry's XML can be: `'` becomes six bytes, and no member's tags are more than
 * six times as long as what JSON has around its value.
 */
export const maxTranscodedBytes = (jsonBytes: number) => 6 * jsonBytes + 200;

export class EntryTranscoder {
  readonly #objects = new PlainObjects();
  #json: Uint8Array = new Uint8Array(0);
  #xml: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Of the entry that was transcoded last: the bits of NAMESPACE. */
  namespaces = 0;

  /**
   * Writes the entry that is `json` from `from` to `to` into `xml` at `at`, which must have room for
   * `maxTranscodedBytes`. Returns the position behind it, or -1 when the entry is not plain.
   */
  transcode(json: Uint8Array, from: number, to: number, xml: Uint8Array, at: number): number {
    const end = this.#objects.read(json, skipSpace(json, from), ENTRY);
    if (end < 0 || skipSpace(json, end) < to) return -1;
    this.#json = json;
    this.#xml = xml;
    this.#at = at;
    return this.#write();
  }

  /** In the order of the schemas (render-entry.ts has it for all entries). */
  #write(): number {
    this.namespaces = 0;
    this.#element(LOC, LOC_TAGS);
    this.#element(LASTMOD, LASTMOD_TAGS);
    this.#element(CHANGEFREQ, CHANGEFREQ_TAGS);
    this.#element(PRIORITY, PRIORITY_TAGS);
    if (this.#objects.slots[ALTERNATES]! > 0) this.#writeAlternates();
    if (this.#objects.slots[IMAGES]! > 0) this.#writeImages();
    this.#append(URL_CLOSE);
    return this.#at;
  }

  #writeAlternates(): void {
    const { slots } = this.#objects;
    const first = slots[ALTERNATES]!;
    const end = first + slots[ALTERNATES + 1]! * slotsOf(ALTERNATE);
    for (let base = first; base < end; base += slotsOf(ALTERNATE)) {
      this.#element(base + ALTERNATE_LANGUAGE, LANGUAGE_TAGS);
      this.#element(base + ALTERNATE_HREF, HREF_TAGS);
      this.namespaces |= NAMESPACE.xhtml;
    }
  }

  #writeImages(): void {
    const { slots } = this.#objects;
    const first = slots[IMAGES]!;
    const end = first + slots[IMAGES + 1]! * slotsOf(IMAGE);
    for (let base = first; base < end; base += slotsOf(IMAGE)) {
      this.#append(IMAGE_OPEN);
      this.#element(base + IMAGE_LOC, IMAGE_LOC_TAGS);
      this.#element(base + IMAGE_CAPTION, IMAGE_CAPTION_TAGS);
      this.#element(base + IMAGE_GEO_LOCATION, IMAGE_GEO_LOCATION_TAGS);
      this.#element(base + IMAGE_TITLE, IMAGE_TITLE_TAGS);
      this.#element(base + IMAGE_LICENSE, IMAGE_LICENSE_TAGS);
      this.#append(IMAGE_CLOSE);
      this.namespaces |= NAMESPACE.image;
    }
  }

  /** Nothing for a member that is absent. */
  #element(slot: number, tags: Tags): void {
    const start = this.#objects.slots[slot]!;
    if (start === 0) return;
    const end = this.#objects.slots[slot + 1]!;
    this.#append(tags.open);
    if (end < 0) this.#at = copyEscaped(this.#json, start, -end, this.#xml, this.#at);
    else this.#copy(start, end);
    this.#append(tags.close);
  }

  #copy(from: number, to: number): void {
    const json = this.#json;
    const xml = this.#xml;
    let o = this.#at;
    for (let i = from; i < to; i++) xml[o++] = json[i]!;
    this.#at = o;
  }

  #append(bytes: Uint8Array): void {
    const xml = this.#xml;
    const at = this.#at;
    for (let i = 0; i < bytes.length; i++) xml[at + i] = bytes[i]!;
    this.#at = at + bytes.length;
  }
}

interface Tags {
  readonly open: Uint8Array;
  readonly close: Uint8Array;
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const tagsOf = (name: string): Tags => ({ open: bytesOf(`<${name}>`), close: bytesOf(`</${name}>`) });

const URL_CLOSE = bytesOf('</url>\n');
const LOC_TAGS = { open: bytesOf('<url><loc>'), close: bytesOf('</loc>') };
const LASTMOD_TAGS = tagsOf('lastmod');
const CHANGEFREQ_TAGS = tagsOf('changefreq');
const PRIORITY_TAGS = tagsOf('priority');
const LANGUAGE_TAGS = { open: bytesOf('<xhtml:link rel="alternate" hreflang="'), close: bytesOf('"') };
const HREF_TAGS = { open: bytesOf(' href="'), close: bytesOf('"/>') };
const IMAGE_OPEN = bytesOf('<image:image>');
const IMAGE_CLOSE = bytesOf('</image:image>');
const IMAGE_LOC_TAGS = tagsOf('image:loc');
const IMAGE_TITLE_TAGS = tagsOf('image:title');
const IMAGE_CAPTION_TAGS = tagsOf('image:caption');
const IMAGE_GEO_LOCATION_TAGS = tagsOf('image:geo_location');
const IMAGE_LICENSE_TAGS = tagsOf('image:license');
