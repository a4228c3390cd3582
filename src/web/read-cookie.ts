/** A cookie of a request, as the browser sent it (RFC 6265, section 5.4). The first, if there are several of the name. */
import type { Request } from 'express';

export function readCookie({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
