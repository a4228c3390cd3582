/**
 * Returns the address of the page that finds a URL. If `url` is empty, `domain` is ignored, and the page asks for the URL. `domain`: the
 * hostname of the only domain to search.
 */
export function findPage(url: string, domain?: string): string {
  if (url === '') return '/dashboard/find';
  return `/dashboard/find?${new URLSearchParams({ url, ...(domain && { domain }) })}`;
}
