import type { Random } from './random.ts';
import { MALFORMED_INSIDES, WAYS, type Way } from './strings.ts';

/** Writes the text between two tokens. */
type Gap = (random: Random) => string;

const GAPS: readonly Gap[] = [
  () => ' ',
  () => '\n      ',
  (random) => (random.onceIn(4) ? random.text(' \t\r\n', random.below(4)) : ''),
  (random) => (random.onceIn(12) ? random.text(' \t\r\n', random.below(41)) : ''),
  (random) => (random.onceIn(12) ? random.pick([' ', '\t', '\r', '\n']).repeat(random.below(41)) : ''),
];
/** White space for other grammars, not for JSON. */
const ODD_GAPS = ['\v', '\f', '\xa0', '\ufeff', '\u2028', '/**/', '//\n', '\0', ','];

/** Texts that are nothing but escapes are six times as long, and teach less than mixed ones. */
const MOSTLY_SHORT_WAYS: readonly Way[] = [
  ...[WAYS.mixed, WAYS.mixed, WAYS.mixed, WAYS['short escapes'], WAYS['short escapes']],
  ...Object.values(WAYS),
];

/** The way in which an entry is written: its white space, its strings, and how many of its values break a rule. */
export class Manner {
  readonly random: Random;
  readonly #gap: Gap;
  readonly #text: Way;
  readonly #name: Way;
  /** One value in so many breaks a rule. 0: no value does. */
  readonly #oddOnceIn: number;
  /** The same for tokens that are not JSON. */
  readonly #malformedOnceIn: number;

  constructor(random: Random) {
    this.random = random;
    this.#gap = random.onceIn(2) ? () => '' : random.pick(GAPS);
    this.#text = random.onceIn(2) ? WAYS.raw : random.pick(MOSTLY_SHORT_WAYS);
    this.#name = random.onceIn(6) ? random.pick(MOSTLY_SHORT_WAYS) : WAYS.raw;
    this.#oddOnceIn = random.pick([0, 0, 0, 0, 0, 0, 0, 0, 40, 20, 10, 3]);
    this.#malformedOnceIn = random.onceIn(25) ? 20 : 0;
  }

  gap(): string {
    return this.#isMalformed(20) ? this.random.pick(ODD_GAPS) : this.#gap(this.random);
  }

  /** A text as JSON. */
  text(text: string): string {
    return this.#damaged(this.#text(text, this.random));
  }

  /** The name of a member as JSON. */
  name(name: string): string {
    return this.#damaged(this.#name(name, this.random));
  }

  isOdd(): boolean {
    return this.#oddOnceIn > 0 && this.random.onceIn(this.#oddOnceIn);
  }

  /** `rarer`: how many times rarer than usual. */
  #isMalformed(rarer = 1): boolean {
    return this.#malformedOnceIn > 0 && this.random.onceIn(this.#malformedOnceIn * rarer);
  }

  #damaged(text: string): string {
    if (!this.#isMalformed()) return text;
    // Between the quotes, where it may split an escape.
    const at = this.random.between(1, text.length - 1);
    return text.slice(0, at) + this.random.pick(MALFORMED_INSIDES) + text.slice(at);
  }
}
