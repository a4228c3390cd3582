/** Reads the `Sitemap` lines in robots.txt of another host, and finds the sitemaps of a domain in them (sitemaps.org, "cross submits"). */
import { DOMAIN_INDEX_FILE, parseFileName } from '../../core/sitemap/file-names.ts';

export interface NamedSitemaps {
  /** Whether a line names the index of the whole domain, and with it all sitemaps. */
  readonly all: boolean;
  /** The sitemaps that lines name one by one. */
  readonly names: ReadonlySet<string>;
  /** The first line with the hostname of the domain that is no address of a sitemap. */
  readonly nearMiss: string | undefined;
}

/** Returns the line to paste. It covers all present and future sitemaps of the domain. `origin` is the public origin of the domain. */
export function sitemapLine(origin: string): string {
  return `Sitemap: ${origin}/${DOMAIN_INDEX_FILE}`;
}

/**
 * Crawlers fetch the address of a line as it is written. So a line counts if hosting serves its address: an exact path, with or without
 * `.gz`, and any query. The address of one part of a sitemap does not count, because it does not cover later parts.
 */
export function namedSitemaps(lines: readonly string[], origin: string): NamedSitemaps {
  const names = new Set<string>();
  let all = false;
  let nearMiss: string | undefined;
  const own = new URL(origin);
  for (const line of lines) {
    const url = URL.parse(line);
    if (url === null || hostOf(url) !== hostOf(own)) continue;
    const file = url.origin === own.origin && servedFile(url.pathname);
    if (file && file.kind === 'index') all = true;
    else if (file && file.kind === 'sitemap') names.add(file.name);
    else nearMiss ??= line;
  }
  return { all, names, nearMiss };
}

/**
 * Removes the dot of the root, so that a line with this dot is a near miss. For crawlers and for hosting, a name with the dot is another
 * host.
 */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function servedFile(path: string) {
  return parseFileName(path.slice(1).replace(/\.xml\.gz$/, '.xml'));
}
