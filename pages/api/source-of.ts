/**
 * Returns the address that a person means. The scheme may be absent. A hostname alone means the robots.txt of that hostname, because it
 * names the sitemaps.
 */
export function sourceOf(typed: string): string {
  const text = typed.trim();
  const address = /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]+:\d+/.test(text) ? text : `https://${text}`;
  return /^https?:\/\/[^/?#]+\/?$/i.test(address) ? `${address.replace(/\/$/, '')}/robots.txt` : address;
}
