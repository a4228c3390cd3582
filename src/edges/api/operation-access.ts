/**
 * Checks that the scope of a key covers an operation, as far as the path tells. The work of the operation checks the rest
 * (docs/decisions/0070).
 */
import { givenSitemapName } from '../../core/sitemap/file-names.ts';
import {
  hasDomain,
  hasSitemap,
  type KeyScope,
  requireAction,
  requireAllSitemaps,
  requireWholeAccount,
} from '../../features/accounts/key-scope.ts';
import type { Place } from '../../features/uploads/find-place.ts';
import { noSuchSession } from '../../features/uploads/sessions/session.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Access } from './operation.ts';

export interface FindPlaces {
  upload(id: string): Promise<Place | undefined>;
  session(id: string): Promise<Place | undefined>;
}

type PathValues = Readonly<Record<string, string>>;

/**
 * Checks the scope of a key. `path`: the values in the path. Throws Refusal FORBIDDEN if the key lacks the action, or if it is limited to
 * domains or sitemaps and the operation needs more. Throws Refusal NOT_FOUND if the path names something outside of the scope, as for an
 * unknown id, so that the answer does not tell whether the id exists.
 */
export async function requireAccess(
  { actions, to }: Access,
  scope: KeyScope,
  path: PathValues,
  find: FindPlaces,
): Promise<void> {
  requireAction(scope, actions);
  await CHECKS[to](scope, path, find);
}

type Check = (scope: KeyScope, path: PathValues, find: FindPlaces) => unknown;

/** Checks nothing. The work of the operation checks the scope, or touches nothing of the account. */
const byTheWork: Check = () => {};

const CHECKS: Readonly<Record<Access['to'], Check>> = {
  account: requireWholeAccount,
  domains: byTheWork,
  'whole domains': requireAllSitemaps,
  'whole domain'(scope, { id }) {
    requireDomain(scope, id);
    requireAllSitemaps(scope);
  },
  sitemaps: (scope, { id }) => requireDomain(scope, id),
  sitemap(scope, { id, name = '' }) {
    requireDomain(scope, id);
    if (!hasSitemap(scope, givenSitemapName(name))) {
      throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
    }
  },
  async upload(scope, { id = '' }, find) {
    if (!covers(scope, await find.upload(id))) throw new Refusal('NOT_FOUND', 'There is no such upload.');
  },
  async session(scope, { id = '' }, find) {
    if (!covers(scope, await find.session(id))) throw noSuchSession();
  },
  named: byTheWork,
  nothing: byTheWork,
};

function requireDomain(scope: KeyScope, id = ''): void {
  if (!hasDomain(scope, id)) throw new Refusal('NOT_FOUND', 'There is no such domain.');
}

function covers(scope: KeyScope, place: Place | undefined): boolean {
  return place !== undefined && hasDomain(scope, place.domainId) && hasSitemap(scope, place.sitemapName);
}
