/**
 * Sends the deprecated ping to search engines. The endpoints of the search engines are gone (they answer 404 or 410), so no ping is sent
 * unless `pingUrl` is configured. A failed ping never fails the upload.
 */
import type { AskOutside } from '../../platform/http/outbound.ts';

export interface SearchPing {
  readonly status: 'success' | 'failed' | 'skipped';
  readonly pingedAt: Date;
}

export interface PingOptions {
  readonly ask: AskOutside;
  /** The address of the ping. If it is undefined, no ping is sent. */
  readonly pingUrl: string | undefined;
}

const PING_TIMEOUT_MS = 5000;

export async function pingSearch(
  { ask, pingUrl }: PingOptions,
  sitemapUrl: string,
  now: () => Date,
): Promise<SearchPing> {
  if (pingUrl === undefined) return { status: 'skipped', pingedAt: now() };
  const url = new URL(pingUrl);
  url.searchParams.set('sitemap', sitemapUrl);
  const request = {
    kind: 'ping',
    url: url.href,
    timeoutMs: PING_TIMEOUT_MS,
    maxBodyBytes: 0,
    isOurs: true,
  } as const;
  // Ignore an error: the address is unreachable or too slow.
  const answer = await ask(request).catch(() => undefined);
  const isTaken = answer !== undefined && answer.status < 300;
  return { status: isTaken ? 'success' : 'failed', pingedAt: now() };
}
