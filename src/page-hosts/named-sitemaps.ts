/** Which sitemaps of a domain the `Sitemap` lines of another host name (sitemaps.org, "cross submits"). */
import { DOMAIN_INDEX_FILE, parseFileName } from '../sitemap/file-names.ts';

export interface NamedSitemaps {
  /** The index of the whole domain is named, so all sitemaps are. */
  readonly all: boolean;
  /** The sitemaps that are named by themselves. */
  readonly names: ReadonlySet<string>;
  /** The first line that has the hostname, but is no address of a sitemap. */
  readonly nearMiss: string | undefined;
}

/** The line to paste. It covers all sitemaps of the domain, also those to come. `origin`: the public one of the domain. */
export function sitemapLine(origin: string): string {
  return `Sitemap: ${origin}/${DOMAIN_INDEX_FILE}`;
}

/**
 * Crawlers fetch the address as it stands. So a line counts if hosting serves it: exact path, any query, also as `.gz`. The
 * part of a sitemap does not count: the line has no place for the parts to come.
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

/** Without the dot of the root, which makes another host for crawlers, and for hosting. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function servedFile(path: string) {
  return parseFileName(path.slice(1).replace(/\.xml\.gz$/, '.xml'));
}
