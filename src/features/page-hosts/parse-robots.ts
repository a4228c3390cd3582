/**
 * Parses robots.txt as Google does (RFC 9309, and the parser that Google has published). The package robots-parser judges paths. This file
 * gives it only the lines that matter, for two reasons:
 *
 * - The package copies each rule for each name of a group, even for a repeated name. A hostile file of 500 KiB takes
 *   gigabytes.
 * - In the package, any line ends the names of a group. In RFC 9309 only a rule does, and a `Sitemap` line does not.
 */
import robotsParserModule from 'robots-parser';
import { fieldsOf } from '../../core/sitemap/robots-fields.ts';

/** The crawlers whose view we report. */
export const CRAWLERS = ['Googlebot', 'Bingbot'] as const;
export type Crawler = (typeof CRAWLERS)[number];

export interface Robots {
  /** The values of `Sitemap` lines, in order. */
  readonly sitemaps: readonly string[];
  /** `path` is absolute and includes the query. */
  isAllowed(crawler: Crawler, path: string): boolean;
}

/** The types of the package describe an ES module, but the package is CommonJS: the default import is the function itself. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** Matches `*` or the product token of a crawler. Text after the token, such as a version, does not count (RFC 9309, section 2.2.1). */
const NAME = /^(?:\*(?=\s|$)|[a-z_-]+)/i;
const KNOWN_NAMES: ReadonlySet<string> = new Set(['*', ...CRAWLERS.map((name) => name.toLowerCase())]);
/** robots-parser needs an origin, but only paths are judged. */
const ORIGIN = 'http://page.invalid';

export function parseRobots(text: string): Robots {
  const sitemaps: string[] = [];
  const rules: string[] = [];
  const names = new Set<string>();
  let isAmongNames = false;
  for (const [field, value] of fieldsOf(text)) {
    if (field === 'sitemap') sitemaps.push(value);
    else if (field === 'user-agent') {
      if (!isAmongNames) names.clear();
      isAmongNames = true;
      const name = NAME.exec(value)?.[0].toLowerCase() ?? '';
      if (!KNOWN_NAMES.has(name) || names.has(name)) continue;
      names.add(name);
      rules.push(`User-agent: ${name}`);
    } else if (field === 'allow' || field === 'disallow') {
      isAmongNames = false;
      if (names.size > 0) rules.push(`${field}: ${value}`);
    }
  }
  const parsed = robotsParser(`${ORIGIN}/robots.txt`, rules.join('\n'));
  return {
    sitemaps: sitemaps.filter((value) => value !== ''),
    isAllowed: (crawler, path) => parsed.isAllowed(ORIGIN + path, crawler) ?? true,
  };
}
