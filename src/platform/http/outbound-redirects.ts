/** Follows the redirects of a GET, and checks the address of each hop. */
import { isUtf8 } from 'node:buffer';
import { OutboundError } from './outbound-error.ts';
import type { ExchangeAnswer, HttpUrl } from './outbound-exchange.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the answer after redirects. `ask`: makes the request of a hop; hops count from 0. If `redirects` is 0, the first redirect is the
 * answer. `drop`: ends the answer of a redirect that is followed. Throws OutboundError.
 */
export async function followRedirects<Answer extends Pick<ExchangeAnswer, 'status' | 'headers'>>(
  from: string,
  redirects: number,
  ask: (url: HttpUrl, hop: number) => Promise<Answer>,
  drop: (answer: Answer) => void = () => {},
): Promise<Answer & { readonly url: string }> {
  let url = checkedUrl(from);
  for (let hop = 0; ; hop++) {
    const answer = await ask(url, hop);
    if (redirects === 0 || !REDIRECTS.has(answer.status)) return { ...answer, url: url.href };
    drop(answer);
    if (hop === redirects) throw new OutboundError('redirects', `more than ${redirects} redirects`);
    const { location } = answer.headers;
    const next = location === undefined ? null : URL.parse(utf8Of(location), url.href);
    if (next === null) throw new OutboundError('redirects', `${url.host} redirects to no address`);
    url = checkedUrl(next.href);
  }
}

/** Some servers write a path in UTF-8, without `%`, as browsers and curl take it. Node reads header fields as Latin-1. */
function utf8Of(location: string): string {
  const bytes = Buffer.from(location, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : location;
}

function checkedUrl(text: string): HttpUrl {
  const url = URL.parse(text);
  if (url === null) throw new OutboundError('blocked', 'not an address');
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new OutboundError('blocked', `${protocol} is not asked, only http: and https:`);
  }
  if (username !== '' || password !== '') {
    throw new OutboundError('blocked', 'an address with user and password');
  }
  return url as HttpUrl;
}
