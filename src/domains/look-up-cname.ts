/** The DNS question of verification: which name does this hostname's CNAME record point to? */
import { Resolver } from 'node:dns/promises';
import { canonicalHostname } from '../platform/dns-name.ts';

type CnameAnswer =
  | { readonly kind: 'found'; readonly target: string }
  | { readonly kind: 'none' }
  /** The resolver did not answer, or could not. */
  | { readonly kind: 'failed' };

export type LookUpCname = (hostname: string) => Promise<CnameAnswer>;

/** Two tries of 2 s each stay below the limit of 5 s for the whole question. */
const TRY_TIMEOUT_MS = 2000;
const TRIES = 2;

/** `servers`: addresses, with a port where it is not 53; undefined for the system's resolvers. */
export function createCnameLookUp(servers: readonly string[] | undefined): LookUpCname {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES, maxTimeout: TRY_TIMEOUT_MS });
    if (servers !== undefined) resolver.setServers(servers);
    const limit = setTimeout(() => resolver.cancel(), 5000);
    try {
      const [target] = await resolver.resolveCname(hostname);
      return target === undefined
        ? { kind: 'none' }
        : { kind: 'found', target: canonicalHostname(target) ?? target };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return code === 'ENODATA' || code === 'ENOTFOUND' ? { kind: 'none' } : { kind: 'failed' };
    } finally {
      clearTimeout(limit);
    }
  };
}
