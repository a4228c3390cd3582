/**
 * Checks an XML document apart from its records: the declaration, the root, comments, other elements and the end. A strict parser sees all
 * text but the records.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { boundAttributes, MAX_ELEMENT_DEPTH } from '../../../platform/bound-xml.ts';
import { malformed } from '../../../platform/json/json-syntax.ts';
import type { Refusal } from '../../../platform/refusal.ts';
import { shownText } from '../../../platform/shown-value.ts';
import { isUtf8Name } from '../../../platform/utf8-text.ts';
import { tagOf } from './xml-elements.ts';
import { type Namespaces, problemIn } from './xml-record.ts';

/** The namespaces are limited, because every batch carries them. */
const MAX_NAMESPACES_BYTES = 64 * 1024;
/** These prefixes need no declaration, and a parser of fragments refuses to declare them. */
const BUILT_IN = ['xml', 'xmlns'];

export class XmlDocument {
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  #depth = 0;
  #namespaces: Namespaces | undefined;
  readonly #begun: (namespaces: Namespaces) => void;
  #line = 1;

  /** Calls `begun` with the namespaces of the root. */
  constructor(begun: (namespaces: Namespaces) => void) {
    this.#begun = begun;
    boundAttributes(this.#parser, (problem) => this.#refusal(`it has ${problem}`));
    this.#parser.on('xmldecl', ({ version, encoding }) => {
      if (version !== '1.0') throw this.#refusal(`it must be XML 1.0, not ${shownText(version!)}`);
      if (encoding !== undefined && !isUtf8Name(encoding)) {
        throw this.#refusal(`it must be in UTF-8, and its declaration says ${shownText(encoding)}`);
      }
    });
    this.#parser.on('opentag', (tag: SaxesTagNS) => {
      if (this.#depth++ === 0) this.#beginRoot(tag);
      else if (this.#depth > MAX_ELEMENT_DEPTH)
        throw this.#refusal(`its elements are nested deeper than ${MAX_ELEMENT_DEPTH} levels`);
    });
    this.#parser.on('closetag', () => void this.#depth--);
    this.#parser.on('error', (error) => {
      throw this.#refusal(problemIn(error));
    });
  }

  /** The namespaces of the root. Undefined before the root. */
  get namespaces(): Namespaces | undefined {
    return this.#namespaces;
  }

  get isInRoot(): boolean {
    return this.#depth > 0;
  }

  /** Parses the next part of the text between records, which begins at `line`. Throws Refusal. */
  add(text: string, line: number): void {
    this.#line = line;
    this.#parser.write(text);
  }

  /** Throws Refusal if the document is not complete. */
  end(line: number): void {
    this.#line = line;
    if (this.#namespaces === undefined || this.isInRoot) throw this.#refusal('it ends too early');
    this.#parser.close();
  }

  #beginRoot({ uri, local, name, ns }: SaxesTagNS): void {
    const tag = tagOf(uri, local);
    if (tag === 'sitemapindex') {
      throw this.#refusal(
        'it is an index of sitemaps: send the sitemaps that it lists, each as an upload of its own, or have its address loaded with all of them',
      );
    }
    if (local === 'urlset' && tag !== 'urlset') {
      throw this.#refusal(
        `the namespace of its urlset is ${shownText(uri)}, not http://www.sitemaps.org/schemas/sitemap/0.9`,
      );
    }
    if (tag !== 'urlset') throw this.#refusal(`its root must be urlset, not ${shownText(name)}`);
    const declared = Object.entries(ns).filter(([prefix]) => !BUILT_IN.includes(prefix));
    this.#namespaces = Object.fromEntries(declared);
    if (JSON.stringify(this.#namespaces).length > MAX_NAMESPACES_BYTES) {
      throw this.#refusal('its root declares too many namespaces');
    }
    this.#begun(this.#namespaces);
  }

  #refusal(problem: string): Refusal {
    return malformed(`line ${this.#line}: ${problem}`);
  }
}
