/** Puts a base before URLs that lack one. Nothing is resolved: a path that could mean something else is a problem. */
import { normaliseUrl } from './url.ts';

/** The longest base. The kernel has room for this many characters. */
export const MAX_BASE_URL_LENGTH = 512;

/** Returns the base up to its last slash, as we write it, or its problem. */
export function parseBaseUrl(text: string): { url: string } | { problem: string } {
  if (/[?#]/.test(text)) return { problem: 'must have no query and no fragment' };
  const verdict = normaliseUrl(text);
  if ('problem' in verdict) return verdict;
  const hasPath = verdict.url.includes('/', 'https://'.length);
  const url = hasPath ? verdict.url.slice(0, verdict.url.lastIndexOf('/') + 1) : `${verdict.url}/`;
  if (url.length <= MAX_BASE_URL_LENGTH) return { url };
  return { problem: `must be at most ${MAX_BASE_URL_LENGTH} characters long` };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Browsers resolve an escaped dot, too. */
const DOTS = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
/** Matches a text that looks like no path: a text in quotes, JSON, markup, `(2 rows)` of psql, and `(not set)` of Google Analytics. */
const NO_PATH = /^(?:["<>[\]{}\\^`|]|'.*'$|\(.*\)$)/;
/** Programs draw lines of these, or write one for an absent value. */
const DASHES = /^[-–—]+$/;
const HOST = /^[^/?#]*\.[^/?#.]+(?::\d+)?(?=\/|$)/;
/** Matches a file name, which looks like a hostname but is none. */
const FILE = /^[^/?#]+\.(?:html?|xhtml|php\d?|aspx?|jsp|cfm|pdf|xml|txt|jpe?g|png|gif|webp|svg|mp4)$/i;

/** Puts the base before a URL. `base`: as `parseBaseUrl` returns it. Returns undefined for a URL that needs no base. */
export function joinBase(base: string, given: string): { url: string } | { problem: string } | undefined {
  if (/^https?:\/\//i.test(given) || given === '') return undefined;
  // White space behind the base is no longer around the URL, so no later check finds it.
  if (given.trim() !== given) return { problem: 'must not begin or end with white space' };
  if (SCHEME.test(given) || DASHES.test(given))
    return { problem: 'must be a path, or start with http:// or https://' };
  if (NO_PATH.test(given)) return { problem: 'must be a path without quotes or brackets around it' };
  if (given.startsWith('//')) return { problem: 'must not start with //: write https: before it' };
  if (/^[?#]/.test(given)) return { problem: 'must have a path before its query or fragment' };
  const path = /^[^?#]*/.exec(given)![0];
  if (DOTS.test(path)) return { problem: 'must be a path without . and .. as names' };
  if (given.startsWith('/')) return { url: base.slice(0, base.indexOf('/', 'https://'.length)) + given };
  if (HOST.test(path) && !FILE.test(path)) {
    return { problem: 'looks like a host: write https:// before it, or / if it is a path' };
  }
  return { url: base + given };
}
