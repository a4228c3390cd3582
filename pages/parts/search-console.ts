/** Google Search Console at the sitemaps of a property, which is the origin of an address. */
export function searchConsole(address: string): string {
  const property = encodeURIComponent(`${new URL(address).origin}/`);
  return `https://search.google.com/search-console/sitemaps?resource_id=${property}`;
}
