/**
 * Returns the address of the page that finds a URL. If `url` is empty, the page asks for it. `domain`: the hostname of the only domain to
 * look in.
 */
export function findPage(url: string, domain?: string): string {
  if (url === '') return '/dashboard/find';
  return `/dashboard/find?${new URLSearchParams({ url, ...(domain && { domain }) })}`;
}
