/** Decides by the start tag of an element below the root whether the element is a record: a `url` of a sitemap's namespace. */
import { SaxesParser } from 'saxes';
import { boundAttributes } from '../../../platform/bound-xml.ts';
import { malformed } from '../../../platform/json/json-syntax.ts';
import { SITEMAP_URIS } from './xml-elements.ts';
import type { Namespaces } from './xml-record.ts';

export interface ChildTag {
  readonly isRecord: boolean;
  /** The name with its prefix. */
  readonly name: Buffer;
  readonly tagBytes: number;
}

export class RecordTags {
  readonly #namespaces: Namespaces;
  /** The last tag is kept, because in most documents all tags are the same. */
  #lastTag: Buffer = Buffer.alloc(0);
  #last: ChildTag = { isRecord: false, name: Buffer.alloc(0), tagBytes: 0 };

  constructor(namespaces: Namespaces) {
    this.#namespaces = namespaces;
  }

  look(bytes: Buffer, at: number, end: number): ChildTag {
    if (!this.#isLast(bytes, at, end)) {
      this.#lastTag = Buffer.from(bytes.subarray(at, end));
      const tag = this.#lastTag.toString();
      const name = /^<([^\s/>]*)/.exec(tag)![1]!;
      this.#last = { isRecord: this.#isRecord(tag, name), name: Buffer.from(name), tagBytes: end - at };
    }
    return this.#last;
  }

  /** Returns the last tag if it begins a record and the whole of it stands again at `at`. */
  sameAgain(bytes: Buffer, at: number, end: number): ChildTag | undefined {
    const isSame = this.#last.isRecord && this.#isLast(bytes, at, Math.min(end, at + this.#lastTag.length));
    return isSame ? this.#last : undefined;
  }

  #isLast(bytes: Buffer, at: number, end: number): boolean {
    const last = this.#lastTag;
    if (last.length !== end - at) return false;
    for (let i = 0; i < last.length; i++) if (last[i] !== bytes[at + i]) return false;
    return true;
  }

  #isRecord(tag: string, name: string): boolean {
    const [local, prefix = ''] = name.split(':').reverse();
    if (local !== 'url') return false;
    const uri = tag.includes('xmlns') ? this.#uriOf(tag) : (this.#namespaces[prefix] ?? '');
    // A tag that cannot be parsed counts as a record, so that its fault is reported for that record.
    return uri === undefined || SITEMAP_URIS.includes(uri);
  }

  /** Returns undefined if the tag is not well-formed. Throws Refusal if it has too many attributes. */
  #uriOf(tag: string): string | undefined {
    const parser = new SaxesParser({
      xmlns: true,
      fragment: true,
      position: false,
      additionalNamespaces: this.#namespaces,
    });
    boundAttributes(parser, (problem) => malformed(`it has ${problem}`));
    let uri: string | undefined;
    parser.on('opentag', (opened) => {
      uri = opened.uri;
    });
    // Ignore errors, because the thread that reads the record reports them.
    parser.on('error', () => {});
    parser.write(tag);
    return uri;
  }
}
