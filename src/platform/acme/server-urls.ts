/**
 * Checks the addresses that an ACME server names. All must be on the server's own host, so that the server cannot make us ask other hosts.
 */
const MAX_LENGTH = 2048;

/** Returns undefined unless the address is https, and on the directory's host and port. `address` may be relative. */
export function ownUrl(directoryUrl: string, address: string): URL | undefined {
  if (address.length > MAX_LENGTH) return undefined;
  const url = URL.parse(address, directoryUrl);
  const isOwn = url?.protocol === 'https:' && url.host === URL.parse(directoryUrl)?.host;
  return isOwn && url.username === '' && url.password === '' ? url : undefined;
}
