/** Returns the address of a source. A hostname alone means its robots.txt. The robots.txt names the sitemaps. */
export function addressOf(source: string): string {
  return /^[a-z\d.-]+(?::\d+)?$/i.test(source) ? `https://${source}/robots.txt` : source;
}
