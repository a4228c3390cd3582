/**
 * The print of a list: equal prints mean the same objects, read in the same way. So a load whose list has the print of the live upload
 * has nothing to read (docs/decisions/0074).
 */
import { hash } from 'node:crypto';
import { XML_VERSION } from '../../../core/sitemap/xml-version.ts';
import type { SessionTerms } from '../sessions/session.ts';
import type { Listing } from './list-sources.ts';
import type { AskedLoad } from './load.ts';

/**
 * Returns the print of a list. Null if its entity tags do not pin every object: then an equal list cannot prove that nothing has changed.
 */
export function printOf(
  { form, dialect, allowHosts }: AskedLoad,
  terms: SessionTerms,
  endpoint: string | undefined,
  { objects, missing }: Listing,
): string | null {
  if (objects.some(({ etag, isIndex }) => etag === null || isIndex)) return null;
  const listed = objects.map(({ url, etag, bytes }) => [url, etag, bytes]);
  const print = [XML_VERSION, form, dialect, allowHosts, terms, endpoint ?? null, missing, listed];
  return hash('sha256', JSON.stringify(print), 'base64url');
}
