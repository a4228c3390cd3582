/**
 * The scope of a key: its actions, and the domains, sitemaps and addresses that it is limited to (docs/decisions/0070). A scope never
 * changes. A key without a scope has none of these limits. A person has no scope.
 */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { addressRanges } from '../../platform/http/client-address.ts';
import { Refusal } from '../../platform/refusal.ts';
import { rememberRecent } from '../../platform/remember-recent.ts';
import type { KeyAction } from './key-actions.ts';

/** A member that is null sets no limit. */
export interface KeyScope {
  readonly actions: readonly KeyAction[] | null;
  readonly domainIds: readonly string[] | null;
  /** The names of sitemaps. The empty name is the unnamed sitemap. */
  readonly sitemapNames: readonly string[] | null;
  /** Ranges of IP addresses that the key works from, as in 192.0.2.0/24. Null: the key works from every address. */
  readonly ranges: readonly string[] | null;
}

export type GivenScope = KeyScope | null | undefined;

/** Throws Refusal FORBIDDEN unless the key has one of the actions. */
export function requireAction(scope: GivenScope, actions: readonly KeyAction[]): void {
  const own = scope?.actions;
  if (own == null || own.some((action) => actions.includes(action))) return;
  const message = `This key lacks the action ${actions.join(' or ')}. It has: ${own.join(', ')}.`;
  throw new Refusal('FORBIDDEN', message, { details: { actions } });
}

/** Throws Refusal FORBIDDEN for a key that is limited to domains or sitemaps. */
export function requireWholeAccount(scope: GivenScope): void {
  requireAllSitemaps(scope);
  if (scope?.domainIds == null) return;
  throw new Refusal('FORBIDDEN', 'This key is limited to some domains, and this is about the whole account.');
}

/** Throws Refusal FORBIDDEN for a key that is limited to sitemaps. */
export function requireAllSitemaps(scope: GivenScope): void {
  if (scope?.sitemapNames == null) return;
  throw new Refusal('FORBIDDEN', 'This key is limited to some sitemaps, and this is about all of a domain.');
}

export function hasDomain(scope: GivenScope, domainId: string): boolean {
  return scope?.domainIds?.includes(domainId) ?? true;
}

export function hasSitemap(scope: GivenScope, sitemapName: string | null): boolean {
  if (scope?.sitemapNames == null) return true;
  return sitemapName !== null && scope.sitemapNames.includes(sitemapName);
}

/**
 * Checks the scope for the domain and the sitemap that a request wants to make or change. Call this function as soon as the request has
 * named one of them, before anything is read or written there. Throws Refusal NOT_FOUND for a domain outside of the scope, as for an
 * unknown domain. Throws FORBIDDEN, not NOT_FOUND, for a sitemap outside of the scope, because an upload may make a sitemap of any name.
 */
export function requireTarget(
  scope: GivenScope,
  { domainId, sitemapName }: Partial<Record<'domainId' | 'sitemapName', string | undefined>>,
): void {
  if (domainId !== undefined && !hasDomain(scope, domainId)) throw unknownDomain();
  if (sitemapName === undefined || hasSitemap(scope, sitemapName)) return;
  const own = scope!.sitemapNames!.map(shownSitemapName).join(', ');
  throw new Refusal(
    'FORBIDDEN',
    `This key is limited to the sitemaps: ${own}. The request is for: ${shownSitemapName(sitemapName)}.`,
  );
}

/** The refusal of a hostname that the account has not registered. `cure` follows the sentence. */
export function unknownDomain(cure = 'name a hostname of your sitemaps, not one of your pages'): Refusal {
  return new Refusal('NOT_FOUND', `The domain is not registered for this account: ${cure}.`);
}

/** Remembers built ranges: each request of a key needs its ranges, and a build takes longer than a lookup. A key has at most 100 ranges. */
const rangesOf = rememberRecent((ranges) => addressRanges(ranges.split(',')), { most: 500, maxLength: 5000 });

/**
 * Returns the refusal of a key that is used from outside of its ranges; undefined if the key may be used. `client`: the result of
 * `clientOf`, which has 64 bits of an IPv6 address.
 */
export function refuseOutside(scope: GivenScope, client: string): Refusal | undefined {
  if (scope?.ranges == null || rangesOf(scope.ranges.join())(client.split('/')[0])) return undefined;
  return new Refusal('FORBIDDEN', `This key may not be used from ${client}.`);
}
