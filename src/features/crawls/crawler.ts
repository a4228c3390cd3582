/** Classifies clients by their User-Agent (docs/decisions/0036). A client can send any User-Agent, so its kind is only a claim. */

const TOOLS = 'Tools';
const OTHER_BOTS = 'Other bots';
const NO_NAME = 'No User-Agent';

/** The first pattern that matches the User-Agent in lower case decides the kind. */
const CLAIMS: readonly (readonly [crawler: string, claim: RegExp])[] = [
  ['Googlebot', /googlebot/],
  ['Google, others', /google-|googleother|google\.com\/(?:adsbot|bot)|mediapartners|-google\b/],
  ['Bingbot', /bingbot|adidxbot|bingpreview|microsoftpreview|msnbot/],
  ['Yandex', /yandexbot|yandex\.com\/bots/],
  ['Baidu', /baiduspider/],
  ['DuckDuckGo', /duckduckbot|duckassistbot/],
  ['Applebot', /applebot/],
  ['Seznam', /seznambot/],
  ['Naver', /yeti\/|naverbot|naver\.me\//],
  ['OpenAI', /gptbot|oai-searchbot|chatgpt-user|openai\.com\//],
  ['Anthropic', /claudebot|claude-|anthropic/],
  ['Perplexity', /perplexitybot|perplexity-user/],
  ['Meta', /facebookexternalhit|facebookcatalog|facebot|meta-(?:external|web)/],
  ['Amazon', /amazonbot|amzn-/],
  ['Ahrefs', /ahrefs/],
  ['Semrush', /semrush|siteauditbot/],
  // CUBOT is a brand of phones. Browsers on these phones have the brand in their User-Agents.
  [OTHER_BOTS, /(?<!cu)bot|crawl|spider|slurp|archiver|https?:\/\//],
  [TOOLS, /headless|powershell/],
  ['Browsers', /^(?:mozilla|opera)\/.*(?:applewebkit|gecko\/|msie |trident\/|presto\/)/],
];

/** All kinds, under the names that the dashboard shows. */
export const CRAWLERS: readonly string[] = [...CLAIMS.map(([crawler]) => crawler), NO_NAME];

/** All documented User-Agents of crawlers are shorter. A longer User-Agent is cut, so hostile headers cost little. */
const MAX_LENGTH = 512;

/**
 * Returns the kind of a client. A client that is neither a bot nor a browser by its User-Agent counts as a tool. Tools have no patterns of
 * their own, because programs and libraries have names of many forms, such as curl/8.5.0.
 */
export function crawlerOf(userAgent = ''): string {
  const start = userAgent.slice(0, MAX_LENGTH).toLowerCase().trim();
  if (start === '') return NO_NAME;
  return CLAIMS.find(([, claim]) => claim.test(start))?.[0] ?? TOOLS;
}

/** Returns the name, or OTHER_BOTS for a name that only another version of Waypost knows. */
export function knownCrawler(name: string): string {
  return CRAWLERS.includes(name) ? name : OTHER_BOTS;
}

/** A busy process meets fewer User-Agents in a minute. With MAX_LENGTH characters for each, the cache takes at most 1 MB. */
const MAX_REMEMBERED = 1_000;

/**
 * A cached `crawlerOf` for a hot path. Each request brings its User-Agent as a new string, and a look-up in a map must hash the string
 * (0.2 µs). So `placeOf` first compares the User-Agent with the latest User-Agent of the same length. The comparison costs hardly anything.
 */
export class RecentCrawlers {
  /** The values are places in CRAWLERS. */
  readonly #remembered = new Map<string, number>();
  /** The latest User-Agent of each length. */
  readonly #latest = new Array<string>(MAX_LENGTH + 1).fill('');
  readonly #latestPlaces = new Uint8Array(MAX_LENGTH + 1).fill(placeOf(''));

  /** Returns the place of the kind in CRAWLERS. */
  placeOf(userAgent = ''): number {
    const { length } = userAgent;
    // A User-Agent that `crawlerOf` cuts is not worth a place in the cache.
    if (length > MAX_LENGTH) return placeOf(userAgent);
    if (this.#latest[length] === userAgent) return this.#latestPlaces[length]!;
    const place = this.#remembered.get(userAgent) ?? this.#remember(userAgent);
    this.#latest[length] = userAgent;
    this.#latestPlaces[length] = place;
    return place;
  }

  #remember(userAgent: string): number {
    const place = placeOf(userAgent);
    // Clearing the map costs less than tracking the oldest entry.
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(userAgent, place);
    return place;
  }
}

function placeOf(userAgent: string): number {
  return CRAWLERS.indexOf(crawlerOf(userAgent));
}
