/**
 * Groups incoming URLs by page host, with a bounded number of hosts and of characters. A group leaves when it is a full batch. When there
 * are too many characters, the largest group leaves.
 */
import { MAX_HOSTS, MAX_URLS_PER_BATCH } from './limits.ts';
import { type PageHost, pageHostOf } from './page-host.ts';

/** The most characters in all groups. Full groups of ordinary URLs for 3 hosts take 3 MB. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

export interface UrlGroup extends PageHost {
  readonly urls: readonly string[];
}

interface Group {
  readonly host: string;
  scheme: PageHost['scheme'];
  urls: string[];
  characters: number;
}

export class UrlGroups {
  readonly #known: ReadonlySet<string>;
  readonly #maxCharacters: number;
  readonly #groups = new Map<string, Group>();
  #characters = 0;

  /** `known`: the hosts that have a key already. They always have room. Other hosts have room up to a hundred in all. */
  constructor(known: ReadonlySet<string>, maxCharacters = MAX_CHARACTERS) {
    this.#known = known;
    this.#maxCharacters = maxCharacters;
  }

  /** Adds a URL. Returns the group that must leave now, if any; `no room`: the URL belongs to one host too many. */
  add(url: string): UrlGroup | 'no room' | undefined {
    const pageHost = pageHostOf(url);
    // A text that is no URL is skipped, because uploads refuse it.
    if (pageHost === undefined) return undefined;
    const group = this.#groupOf(pageHost);
    if (group === undefined) return 'no room';
    if (pageHost.scheme === 'https') group.scheme = 'https';
    group.urls.push(url);
    group.characters += url.length;
    this.#characters += url.length;
    if (group.urls.length === MAX_URLS_PER_BATCH) return this.#take(group);
    return this.#characters > this.#maxCharacters ? this.#take(this.#largest()) : undefined;
  }

  /** Yields the remaining groups, ordered by host. */
  *takeAll(): Generator<UrlGroup> {
    const left = [...this.#groups.values()].filter(({ urls }) => urls.length > 0);
    for (const group of left.sort((a, b) => (a.host < b.host ? -1 : 1))) yield this.#take(group);
  }

  #groupOf({ host, scheme }: PageHost): Group | undefined {
    const found = this.#groups.get(host);
    if (found !== undefined) return found;
    if (this.#groups.size >= MAX_HOSTS && !this.#known.has(host)) return undefined;
    const group: Group = { host, scheme, urls: [], characters: 0 };
    this.#groups.set(host, group);
    return group;
  }

  /** Takes the URLs out of a group. The group itself stays, so that its host keeps its place. */
  #take(group: Group): UrlGroup {
    const { host, scheme, urls, characters } = group;
    group.urls = [];
    group.characters = 0;
    this.#characters -= characters;
    return { host, scheme, urls };
  }

  #largest(): Group {
    return [...this.#groups.values()].reduce((a, b) => (b.characters > a.characters ? b : a));
  }
}
