/** Returns the address of the upload page with this domain and this sitemap chosen. */
export function uploadPage(domainId: string, sitemapName?: string): string {
  const chosen = new URLSearchParams({ domain: domainId, ...(sitemapName && { sitemap: sitemapName }) });
  return `/dashboard/upload?${chosen}`;
}

/** Returns the address of the page that shows a refused upload with all of its mistakes. */
export const refusedPage = (domainId: string, uploadId: string) =>
  `/dashboard/upload?${new URLSearchParams({ domain: domainId, refused: uploadId })}`;
