/** A hostname alone is its robots.txt, which names its sitemaps. */
export function addressOf(source: string): string {
  return /^[a-z\d.-]+(?::\d+)?$/i.test(source) ? `https://${source}/robots.txt` : source;
}
