/**
 * The deprecated ping of search engines. Their endpoints are gone (404 and 410), so we send nothing unless an address
 * is configured. A failed ping never fails the upload.
 */
export interface SearchPing {
  readonly status: 'success' | 'failed' | 'skipped';
  readonly pingedAt: Date;
}

const PING_TIMEOUT_MS = 5000;

export async function pingSearch(
  pingUrl: string | undefined,
  sitemapUrl: string,
  now: () => Date,
): Promise<SearchPing> {
  if (pingUrl === undefined) return { status: 'skipped', pingedAt: now() };
  const url = new URL(pingUrl);
  url.searchParams.set('sitemap', sitemapUrl);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PING_TIMEOUT_MS), redirect: 'manual' });
    await response.body?.cancel();
    return { status: response.ok ? 'success' : 'failed', pingedAt: now() };
  } catch {
    // Unreachable or too slow.
    return { status: 'failed', pingedAt: now() };
  }
}
