/** A whole sitemap file around some entries, framed as in the pipeline. */
import type { Entry } from '../../src/core/sitemap/entry.ts';
import { URLSET_FOOTER, urlsetHeader } from '../../src/core/sitemap/namespaces.ts';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { namespacesOf, renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { produced } from './produced-documents.ts';

export function sitemapDocument(...entries: Entry[]): string {
  const namespaces = entries.reduce((bits, entry) => bits | namespacesOf(entry), 0);
  return produced(urlsetHeader(namespaces) + entries.map(renderEntry).join('') + URLSET_FOOTER);
}

/** Returns the entry, or throws an error that says what is wrong with it. */
export function accepted(raw: unknown): Entry {
  const parsed = parseEntry(raw, 0);
  if ('violations' in parsed) throw new Error(JSON.stringify(parsed.violations));
  return parsed.entry;
}

/** The refused fields in the order of the report, without `urls[0]` and its dot. */
export function refusedFields(raw: unknown): string[] {
  const parsed = parseEntry(raw, 0);
  return 'violations' in parsed
    ? parsed.violations.map(({ field }) => field.replace(/^urls\[0\]\.?/, ''))
    : [];
}
