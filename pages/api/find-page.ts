/** The address of the page that finds a URL. Without one, it asks for it. `domain`: only in this domain, by its hostname. */
export function findPage(url: string, domain?: string): string {
  if (url === '') return '/dashboard/find';
  return `/dashboard/find?${new URLSearchParams({ url, ...(domain && { domain }) })}`;
}
