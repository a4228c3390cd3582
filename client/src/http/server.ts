/** Checks the address of the server and the key. The key is sent only in a header, over HTTPS or to this machine. */
import { badSetting } from '../waypost-error.ts';

export interface ServerOptions {
  /** The key from your operator: `sk_live_…`. */
  readonly apiKey: string;
  /** The address of the API, as in `https://api.example.net`. */
  readonly url: string;
  /** Allows plain HTTP to hosts other than this machine. Plain HTTP exposes the key. */
  readonly insecure?: boolean;
}

export interface Server {
  /** Ends in a slash. */
  readonly base: URL;
  readonly authorization: string;
}

export function parseServer({ apiKey, url, insecure = false }: ServerOptions): Server {
  // Check the key now: a line break in it would fail later, with an unclear message. A variable that is not set must not become “undefined”.
  if (!/^[\x21-\x7e]{1,512}$/.test(apiKey ?? '')) {
    throw badSetting(
      'The API key is empty or has characters that no key has, such as a space or a line break.',
    );
  }
  return { base: parseBase(url, insecure), authorization: `Bearer ${apiKey}` };
}

function parseBase(url: string, insecure: boolean): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base === undefined || !['http:', 'https:'].includes(base.protocol)) {
    throw badSetting('The address of the API must be a URL, as in https://api.example.net');
  }
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '') {
    throw badSetting('The address of the API must have no user, password, query or fragment.');
  }
  if (base.protocol === 'http:' && !insecure && !isLoopback(base.hostname)) {
    throw badSetting(
      `${base.origin} is plain HTTP, so everyone on the way could read your key. Use https, or allow it as insecure.`,
    );
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

/** `hostname` must come from URL, which writes every IPv4 address in dotted decimals. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
