/**
 * Returns the address that a person means: they may leave out the scheme, or type a hostname alone. The robots.txt of a hostname names its
 * sitemaps.
 */
export function sourceOf(typed: string): string {
  const text = typed.trim();
  const address = /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]+:\d+/.test(text) ? text : `https://${text}`;
  return /^https?:\/\/[^/?#]+\/?$/i.test(address) ? `${address.replace(/\/$/, '')}/robots.txt` : address;
}
