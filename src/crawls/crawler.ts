/**
 * The kinds of crawlers, by User-Agent (docs/decisions/0036). Everybody can send any User-Agent, so a kind is
 * a claim, not a proof.
 */

const TOOLS = 'Tools';
const OTHER_BOTS = 'Other bots';
const NO_NAME = 'No User-Agent';

/** What a User-Agent claims to be: the first one that matches, in lower case. */
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
  // CUBOT makes phones.
  [OTHER_BOTS, /(?<!cu)bot|crawl|spider|slurp|archiver|https?:\/\//],
  [TOOLS, /headless|powershell/],
  ['Browsers', /^(?:mozilla|opera)\/.*(?:applewebkit|gecko\/|msie |trident\/|presto\/)/],
];

/** All kinds, as people see them. */
export const CRAWLERS: readonly string[] = [...CLAIMS.map(([crawler]) => crawler), NO_NAME];

/** Long enough for all that crawlers document, and short enough that hostile headers cost little. */
const MAX_LENGTH = 512;

/**
 * The kind of a client. Programs and libraries name themselves in their own form, as in curl/8.5.0: what is
 * neither a bot nor a browser is a tool.
 */
export function crawlerOf(userAgent = ''): string {
  const start = userAgent.slice(0, MAX_LENGTH).toLowerCase().trim();
  if (start === '') return NO_NAME;
  return CLAIMS.find(([, claim]) => claim.test(start))?.[0] ?? TOOLS;
}

/** For a name that another version of Waypost wrote. */
export function knownCrawler(name: string): string {
  return CRAWLERS.includes(name) ? name : OTHER_BOTS;
}

/** More than a busy process meets in a minute. With MAX_LENGTH characters each, 1 MB at most. */
const MAX_REMEMBERED = 1_000;

/**
 * `crawlerOf` for a hot path. Each request brings its User-Agent as a new string, and to look it up in a map
 * means to hash it: 0.2 µs. So we first compare it with the latest one of its length, which costs hardly
 * anything.
 */
export class RecentCrawlers {
  /** Places in CRAWLERS. */
  readonly #remembered = new Map<string, number>();
  /** By length. */
  readonly #latest = new Array<string>(MAX_LENGTH + 1).fill('');
  readonly #latestPlaces = new Uint8Array(MAX_LENGTH + 1).fill(placeOf(''));

  /** The place in CRAWLERS. */
  placeOf(userAgent = ''): number {
    const { length } = userAgent;
    // Nobody looks for a longer one.
    if (length > MAX_LENGTH) return placeOf(userAgent);
    if (this.#latest[length] === userAgent) return this.#latestPlaces[length]!;
    const place = this.#remembered.get(userAgent) ?? this.#remember(userAgent);
    this.#latest[length] = userAgent;
    this.#latestPlaces[length] = place;
    return place;
  }

  #remember(userAgent: string): number {
    const place = placeOf(userAgent);
    // To forget all costs less than to know the oldest.
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(userAgent, place);
    return place;
  }
}

function placeOf(userAgent: string): number {
  return CRAWLERS.indexOf(crawlerOf(userAgent));
}
