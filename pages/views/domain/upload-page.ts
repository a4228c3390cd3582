/** The ways to the page that uploads, with the domain and the sitemap chosen there. */
export function uploadPage(domainId: string, sitemapName?: string): string {
  const chosen = new URLSearchParams({ domain: domainId, ...(sitemapName && { sitemap: sitemapName }) });
  return `/dashboard/upload?${chosen}`;
}

/** A refused upload with all of its mistakes. */
export const refusedPage = (domainId: string, uploadId: string) =>
  `/dashboard/upload?${new URLSearchParams({ domain: domainId, refused: uploadId })}`;
