/**
 * Returns the host of an address that a person typed or pasted, with or without a scheme, a port and a path. Letters of all languages stay
 * as they are, because the service accepts them too.
 */
export function hostOf(typed: string): string {
  const text = typed.trim().replace(/^(?:[a-z][a-z0-9+.-]*:)?\/+/i, '');
  const host = text.replace(/^[^/?#@]*@/, '').split(/[/?#\\]/, 1)[0]!;
  return host.replace(/:\d*$/, '').trim();
}

/** Returns the different hosts in a text. Line breaks, commas and semicolons separate them. */
export function hostsOf(typed: string): readonly string[] {
  return [...new Set(typed.split(/[\n,;]/).map(hostOf))].filter((host) => host !== '');
}
