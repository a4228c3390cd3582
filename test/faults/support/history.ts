/**
 * Records requests and answers of one domain, and from them the possible states of each sitemap: exactly one of the
 * uploads that were sent, or none. Every URL names its upload and its position there, so any mixture, tear or loss
 * shows.
 */
import { hash } from 'node:crypto';

export interface SentUpload {
  /** Counts all uploads ever sent. */
  readonly number: number;
  readonly sitemapName: string;
  readonly urlCount: number;
}

/** The sitemap does not exist. */
export const ABSENT = 'absent';
export type State = SentUpload | typeof ABSENT;

let uploads = 0;

export class History {
  readonly #possible = new Map<string, Set<State>>();

  /** The names of all sitemaps that were ever sent or deleted. */
  get sitemapNames(): readonly string[] {
    return [...this.#possible.keys()];
  }

  /** An upload starts: from now on it may be live. */
  begin(sitemapName: string, urlCount: number): SentUpload {
    const upload = this.beginHeld(sitemapName, urlCount);
    this.mayBeLive(upload);
    return upload;
  }

  /** An upload starts that is going to be held: it must not be live before it is published. */
  beginHeld(sitemapName: string, urlCount: number): SentUpload {
    return { number: ++uploads, sitemapName, urlCount };
  }

  /** A publication of an upload starts that was sent before: a held one, or a rollback. */
  mayBeLive(upload: SentUpload): void {
    this.#of(upload.sitemapName).add(upload);
  }

  beginDelete(sitemapName: string): void {
    this.#of(sitemapName).add(ABSENT);
  }

  /** Makes `state` the only possible one: the service has acknowledged it, or has shown it while no write was under way. */
  settle(sitemapName: string, state: State): void {
    this.settleOneOf(sitemapName, [state]);
  }

  possible(sitemapName: string): readonly State[] {
    return [...this.#of(sitemapName)];
  }

  /** The upload that is live. Throws unless it is the only possible state. */
  liveUpload(sitemapName: string): SentUpload {
    const [state, ...others] = this.possible(sitemapName);
    if (state === undefined || state === ABSENT || others.length > 0)
      throw new Error('the state is not known');
    return state;
  }

  /** One of these was promised, or was sent after a promise. */
  settleOneOf(sitemapName: string, states: readonly State[]): void {
    this.#possible.set(sitemapName, new Set(states));
  }

  #of(sitemapName: string): Set<State> {
    const found = this.#possible.get(sitemapName) ?? new Set<State>([ABSENT]);
    this.#possible.set(sitemapName, found);
    return found;
  }
}

/** Hard to compress: a file of 1,000 is an object, and one of half as many is small (`features/sites/small-files.ts`). */
export function urlOf({ number }: SentUpload, place: number): string {
  const noise = hash('sha1', `${number}/${place}`);
  return `https://www.example.com/${noise}/u${number}/${place}`;
}

export function describeState(state: State): string {
  return state === ABSENT ? ABSENT : `upload ${state.number} of ${state.urlCount} URLs`;
}
