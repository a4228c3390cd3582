/** An address as people type it: without a scheme, or a hostname alone, whose robots.txt names its sitemaps. */
export function sourceOf(typed: string): string {
  const text = typed.trim();
  const address = /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]+:\d+/.test(text) ? text : `https://${text}`;
  return /^https?:\/\/[^/?#]+\/?$/i.test(address) ? `${address.replace(/\/$/, '')}/robots.txt` : address;
}
