/** The way to the page that uploads, with the domain and the sitemap chosen there. */
export function uploadPage(domainId: string, sitemapName?: string): string {
  const chosen = new URLSearchParams({ domain: domainId, ...(sitemapName && { sitemap: sitemapName }) });
  return `/dashboard/upload?${chosen}`;
}
