/** Returns the address of Google Search Console at the sitemaps of a property. The property is the origin of `address`. */
export function searchConsole(address: string): string {
  const property = encodeURIComponent(`${new URL(address).origin}/`);
  return `https://search.google.com/search-console/sitemaps?resource_id=${property}`;
}
