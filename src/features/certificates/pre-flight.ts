/**
 * Looks at a hostname as an authority will, before it does: each failed validation counts against limits of the authority.
 */
import { findCaaProblem } from '../domains/caa.ts';
import type { Diagnose } from '../domains/diagnose-domain.ts';
import { IssuanceError } from './issuer.ts';

/** The most addresses that a message names, because an answer may have many. */
const MAX_NAMED = 4;

/** Returns the addresses of the hostname, all ours. `caaIdentities`: the authority's names in CAA records. Throws IssuanceError. */
export async function checkHostname(
  diagnose: Diagnose,
  { hostname, cnameTarget }: { readonly hostname: string; readonly cnameTarget: string },
  caaIdentities: readonly string[],
): Promise<readonly string[]> {
  const { verdict, problem, addresses, caa } = await diagnose(hostname, cnameTarget);
  if (verdict === 'wrong')
    throw new IssuanceError('failed', problem ?? `${hostname} does not lead to Waypost.`);
  // The CAA records cannot be judged for an authority that does not publish its names.
  const caaProblem = caaIdentities.length === 0 ? undefined : findCaaProblem(caa, caaIdentities);
  if (caaProblem !== undefined) {
    throw new IssuanceError(caa.kind === 'failed' ? 'failed' : 'refused', caaProblem);
  }
  if (verdict === 'unknown' || addresses.areOurs === undefined) {
    throw new IssuanceError('unavailable', problem ?? `The DNS lookup of ${hostname} failed.`);
  }
  if (addresses.found.length === 0) {
    throw new IssuanceError('unavailable', `${cnameTarget} has no address.`);
  }
  if (!addresses.areOurs) {
    const found = addresses.found.slice(0, MAX_NAMED).join(', ');
    const message = `${hostname} leads to ${found}. It must have no address but those of ${cnameTarget}. Remove or correct the other A and AAAA records.`;
    throw new IssuanceError('failed', message);
  }
  return addresses.found;
}
