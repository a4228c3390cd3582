/** The scheme and the host of URLs. A URL may have nothing after its host. */

/** Returns the origin of all URLs. Undefined if they have several origins. */
export function originOf(urls: readonly string[]): string | undefined {
  const [only, ...others] = new Set(urls.map((url) => /^https?:\/\/[^/?#]+/.exec(url)?.[0]));
  return others.length === 0 ? only : undefined;
}
