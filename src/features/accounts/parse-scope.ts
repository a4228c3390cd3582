/** Reads the scope of a new key as people write it. */
import { z } from 'zod';
import { givenSitemapName, isSitemapName } from '../../core/sitemap/file-names.ts';
import { addressRanges } from '../../platform/http/client-address.ts';
import { invalidField } from '../../platform/refusal.ts';
import { KEY_ACTIONS } from './key-actions.ts';
import type { KeyScope } from './key-scope.ts';

/** The most items of a list. Each request of a key loads its scope, so the scope must be short. */
const MOST = 100;
/** `clientOf` keeps only the first 64 bits of an IPv6 address, so a range cannot ask for more bits. */
const MOST_BITS_OF_IPV6 = 64;

/** The members of a scope as a request gives them. A member that is undefined or null sets no limit. */
export interface GivenMembers {
  readonly actions?: unknown;
  /** The caller must check that the account has these domains. */
  readonly domainIds?: unknown;
  /** The names of sitemaps. `default` is the unnamed sitemap. */
  readonly sitemaps?: unknown;
  /** Ranges of IP addresses, as in 192.0.2.0/24. */
  readonly fromRanges?: unknown;
}

/** Returns null if nothing is limited. Throws Refusal VALIDATION_ERROR. */
export function parseScope(given: GivenMembers): KeyScope | null {
  const actions = listOf('actions', given.actions, parseAction);
  const domainIds = listOf('domainIds', given.domainIds, (id) => id);
  const sitemapNames = listOf('sitemaps', given.sitemaps, parseSitemap);
  const ranges = listOf('fromRanges', given.fromRanges, parseRange);
  const scope: KeyScope = { actions, domainIds, sitemapNames, ranges };
  return Object.values(scope).every((limit) => limit === null) ? null : scope;
}

const texts = z.array(z.string()).min(1).max(MOST);

function listOf<Value>(
  field: string,
  given: unknown,
  parse: (text: string, field: string) => Value,
): readonly Value[] | null {
  if (given === undefined || given === null) return null;
  const parsed = texts.safeParse(given);
  if (!parsed.success) {
    throw invalidField(field, given, `must be a list of 1 to ${MOST} texts; leave it out for no limit`);
  }
  return [...new Set(parsed.data.map((text, i) => parse(text, `${field}[${i}]`)))];
}

function parseAction(text: string, field: string) {
  const action = KEY_ACTIONS.find((known) => known === text);
  if (action === undefined) throw invalidField(field, text, `must be one of ${KEY_ACTIONS.join(', ')}`);
  return action;
}

function parseSitemap(shown: string, field: string): string {
  const name = givenSitemapName(shown);
  if (shown === '' || (name !== '' && !isSitemapName(name))) {
    throw invalidField(field, shown, 'must be the name of a sitemap, or default');
  }
  return name;
}

function parseRange(text: string, field: string): string {
  const problem = 'must be an address or a network, as in 192.0.2.7, 192.0.2.0/24 or 2001:db8:1:2::/64';
  try {
    addressRanges([text]);
  } catch {
    throw invalidField(field, text, problem);
  }
  const bits = Number(text.split('/')[1] ?? 128);
  if (text.includes(':') && bits > MOST_BITS_OF_IPV6) {
    throw invalidField(
      field,
      text,
      `must have at most ${MOST_BITS_OF_IPV6} bits for IPv6, as in 2001:db8:1:2::/64`,
    );
  }
  return text;
}
