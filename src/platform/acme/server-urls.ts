/** The addresses that an ACME server names. A hostile server must not make us ask others, so all are on its own host. */
const MAX_LENGTH = 2048;

/** Undefined unless the address is https, and on the host and port of the directory. `address` may be relative to it. */
export function ownUrl(directoryUrl: string, address: string): URL | undefined {
  if (address.length > MAX_LENGTH) return undefined;
  const url = URL.parse(address, directoryUrl);
  const isOwn = url?.protocol === 'https:' && url.host === URL.parse(directoryUrl)?.host;
  return isOwn && url.username === '' && url.password === '' ? url : undefined;
}
