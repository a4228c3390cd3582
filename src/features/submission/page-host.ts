/**
 * A page host is the host of URLs in a sitemap, as in www.example.com or www.example.com:8443. The owner of the host agrees to submissions
 * by a file with our key at the root of the host. http and https have one key, because search engines treat them as one host.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { normaliseOrigin } from '../../core/sitemap/url.ts';
import { invalidField } from '../../platform/refusal.ts';

export interface PageHost {
  /** The host in lower case, with its port unless that is the default port of the scheme. */
  readonly host: string;
  readonly scheme: 'http' | 'https';
}

export interface HostKey extends PageHost {
  readonly key: string;
}

/** Returns the page host of a URL; undefined for a text that is no URL of a page. */
export function pageHostOf(url: string): PageHost | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return undefined;
  return { host: parsed.host, scheme: parsed.protocol === 'https:' ? 'https' : 'http' };
}

/** The schema of a host, or of an origin. */
export const pageHostText = z.string('must be a string');

/** Parses a host, or an origin as in http://www.example.com. Throws Refusal VALIDATION_ERROR. */
export function parsePageHost(given: unknown): {
  readonly host: string;
  /** The scheme of the origin; undefined if only the host is given. */
  readonly scheme: PageHost['scheme'] | undefined;
} {
  if (given === undefined || given === null) throw invalidField('host', given, 'is required');
  const text = pageHostText.safeParse(given);
  if (!text.success) throw invalidField('host', given, text.error.issues[0]!.message);
  const hasScheme = /^https?:\/\//i.test(text.data);
  const origin = normaliseOrigin(hasScheme ? text.data : `https://${text.data}`);
  const isOrigin = origin !== undefined && !/[/?#]/.test(origin.replace(/^https?:\/\//i, ''));
  const pageHost = isOrigin ? pageHostOf(origin) : undefined;
  if (pageHost === undefined) throw invalidField('host', given, 'must be a host, as in www.example.com');
  return { host: pageHost.host, scheme: hasScheme ? pageHost.scheme : undefined };
}

/** Returns the address at which the owner of the host puts the key file. */
export function keyFileOf({ scheme, host, key }: HostKey): string {
  return `${scheme}://${host}/${key}.txt`;
}

/** Makes a key. The protocol allows 8 to 128 characters. */
export const newHostKey = () => randomBytes(16).toString('hex');
