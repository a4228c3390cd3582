/**
 * What was asked of one domain and what was answered, and so what each of its sitemaps may be: exactly one of the
 * uploads that were sent, or none. Every URL names its upload and its place there, so that whatever is mixed, torn
 * or lost shows.
 */

export interface SentUpload {
  /** Of all uploads that were ever sent. */
  readonly number: number;
  readonly sitemapName: string;
  readonly urlCount: number;
}

/** That there is no such sitemap. */
export const ABSENT = 'absent';
export type State = SentUpload | typeof ABSENT;

let uploads = 0;

export class History {
  readonly #possible = new Map<string, Set<State>>();

  /** Of all that were sent or deleted. */
  get sitemapNames(): readonly string[] {
    return [...this.#possible.keys()];
  }

  /** An upload is on its way: from now on it may be live. */
  begin(sitemapName: string, urlCount: number): SentUpload {
    const upload = { number: ++uploads, sitemapName, urlCount };
    this.#of(sitemapName).add(upload);
    return upload;
  }

  beginDelete(sitemapName: string): void {
    this.#of(sitemapName).add(ABSENT);
  }

  /** It was promised, or seen where nothing is under way any more: from now on it is this and nothing else. */
  settle(sitemapName: string, state: State): void {
    this.#possible.set(sitemapName, new Set([state]));
  }

  possible(sitemapName: string): readonly State[] {
    return [...this.#of(sitemapName)];
  }

  #of(sitemapName: string): Set<State> {
    const found = this.#possible.get(sitemapName) ?? new Set<State>([ABSENT]);
    this.#possible.set(sitemapName, found);
    return found;
  }
}

export function urlOf({ number }: SentUpload, place: number): string {
  return `https://www.example.com/u${number}/${place}`;
}

export function describeState(state: State): string {
  return state === ABSENT ? ABSENT : `upload ${state.number} of ${state.urlCount} URLs`;
}
