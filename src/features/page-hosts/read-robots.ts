/** Reads robots.txt of a page host by the rules of RFC 9309, section 2.3.1, through the guarded client for hosts of others. */
import { textAlone } from '../../platform/alone.ts';
import { type AskOutside, type OutboundAnswer, OutboundError } from '../../platform/http/outbound.ts';
import { shownFailure } from '../../platform/http/outbound-error.ts';
import { plainBody } from '../../platform/http/plain-body.ts';
import { robotsUrlOf } from './page-host.ts';
import { CRAWLERS, type Crawler, parseRobots } from './parse-robots.ts';

/** The part of a robots.txt that we keep. */
export type RobotsReading =
  | {
      readonly kind: 'read';
      readonly sitemaps: readonly string[];
      /** The crawlers that may not read pages that no line names. */
      readonly disallowed: readonly Crawler[];
    }
  /** For crawlers the host has no robots.txt, so everything is allowed. */
  | { readonly kind: 'absent'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

const TIMEOUT_MS = 10_000;
/** RFC 9309, section 2.5: crawlers read at least this much. Google ignores the rest, and so do we. */
const MAX_BYTES = 500 * 1024;
/** The most redirects, by RFC 9309, section 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** The most characters of a `Sitemap` line that we keep. All addresses of our sitemaps are shorter. */
const MAX_LINE = 2048;
/** A page that no line names. It is not `/`, because `Disallow: /$` and `Allow: /$` mean only the home page. */
const ORDINARY_PAGE = '/q8zj3kv';

/** Rejects only when `signal` is aborted. */
export async function readRobots(
  ask: AskOutside,
  origin: string,
  signal: AbortSignal,
): Promise<RobotsReading> {
  try {
    const url = robotsUrlOf(origin);
    const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BYTES, redirects: MAX_REDIRECTS };
    return readingOf(await ask({ kind: 'robots.txt', url, ...limits, signal }));
  } catch (error) {
    if (!(error instanceof OutboundError) || error.reason === 'aborted') throw error;
    // RFC 9309, section 2.3.1.2: after five redirects there is no robots.txt.
    const kind = error.reason === 'redirects' ? 'absent' : 'unreachable';
    return { kind, why: shownFailure(error) };
  }
}

function readingOf(answer: OutboundAnswer): RobotsReading {
  const { status, headers, isWhole } = answer;
  const why = `the status is ${status}`;
  // Google treats 429 like a failure of the server, and so do we.
  if (status >= 400 && status < 500 && status !== 429) return { kind: 'absent', why };
  if (status < 200 || status > 299) return { kind: 'unreachable', why };
  const body = plainBody(answer, MAX_BYTES);
  if (body === undefined) {
    const why = `it is compressed in a way that we do not read (Content-Encoding: ${headers['content-encoding']})`;
    return { kind: 'unreachable', why };
  }
  // TextDecoder removes a byte order mark.
  const text = new TextDecoder().decode(body);
  const { sitemaps, isAllowed } = parseRobots(isWhole ? text : wholeLines(text));
  return {
    kind: 'read',
    sitemaps: sitemaps.filter(({ length }) => length <= MAX_LINE).map(textAlone),
    disallowed: CRAWLERS.filter((crawler) => !isAllowed(crawler, ORDINARY_PAGE)),
  };
}

/** Drops the last line, which may be cut: `Disallow: /private` may end as `Disallow: /`. */
function wholeLines(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}
