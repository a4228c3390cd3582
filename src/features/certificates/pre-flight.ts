/** Checks the DNS of a hostname before the authority does, because each failed validation counts towards limits of the authority. */
import { type LookUp, NO_ANSWER, recordsOf } from '../../platform/dns/look-up.ts';
import { type Caa, findCaa, findCaaProblem } from '../domains/caa.ts';
import type { Diagnose } from '../domains/diagnose-domain.ts';
import { IssuanceError, type IssuanceRequest } from './issuer.ts';

/** The most addresses that a message names. A DNS answer may have many. */
const MAX_NAMED = 4;
/** The time limit for all lookups of our own hostname together. */
const LOOK_UP_MS = 5000;

export interface CheckHostnameOptions {
  readonly lookUp: LookUp;
  readonly diagnose: Diagnose;
}

/**
 * Returns the addresses of the hostname. All of them are ours; those of the API's own hostname are not checked. `caaIdentities`: the names
 * of the authority in CAA records. Throws IssuanceError.
 */
export async function checkHostname(
  { lookUp, diagnose }: CheckHostnameOptions,
  { hostname, cnameTarget }: Pick<IssuanceRequest, 'hostname' | 'cnameTarget'>,
  caaIdentities: readonly string[],
): Promise<readonly string[]> {
  if (cnameTarget === undefined) return checkOwnHostname(lookUp, hostname, caaIdentities);
  const { verdict, problem, addresses, caa, judgement } = await diagnose(hostname, cnameTarget);
  if (verdict === 'wrong')
    throw new IssuanceError('failed', problem ?? `${hostname} does not lead to Waypost.`);
  // The CAA look-up follows the CNAME record into our own zone. If our zone does not answer, that is no failure of the hostname.
  if (judgement.ours.length === 0) {
    const message = `${cnameTarget} has no address, or the DNS lookup of it failed. Its operator must correct that.`;
    throw new IssuanceError('unavailable', message);
  }
  throwForCaa(caa, caaIdentities);
  if (verdict === 'unknown' || addresses.areOurs === undefined) {
    const reason =
      judgement.foreign.length > 0
        ? `${hostname} leads to ${named(judgement.foreign)}, and its target ${cnameTarget} has other addresses at the moment.`
        : `The DNS lookup of ${hostname} failed.`;
    throw new IssuanceError('unavailable', problem ?? reason);
  }
  if (addresses.found.length === 0) {
    throw new IssuanceError('unavailable', `${hostname} has no address at the moment.`);
  }
  if (!addresses.areOurs) {
    const message = `${hostname} leads to ${named(addresses.found)}. It must have no address but those of ${cnameTarget}. Remove or correct the other A and AAAA records.`;
    throw new IssuanceError('failed', message);
  }
  return addresses.found;
}

const named = (addresses: readonly string[]) => addresses.slice(0, MAX_NAMED).join(', ');

/** Returns the addresses of the API's own hostname. Throws IssuanceError. */
async function checkOwnHostname(
  lookUp: LookUp,
  hostname: string,
  caaIdentities: readonly string[],
): Promise<readonly string[]> {
  const endsAt = performance.now() + LOOK_UP_MS;
  const [caa, ipv4, ipv6] = await Promise.all([
    findCaa(lookUp, hostname, endsAt),
    lookUp(hostname, 'A', endsAt),
    lookUp(hostname, 'AAAA', endsAt),
  ]);
  throwForCaa(caa, caaIdentities);
  const found = [...recordsOf(hostname, 'A', ipv4), ...recordsOf(hostname, 'AAAA', ipv6)];
  if (found.length > 0) return found.map(({ value }) => value);
  throw new IssuanceError(
    'unavailable',
    `${hostname}, the API's own hostname, has no address. Check API_HOSTNAME and its DNS.`,
  );
}

/**
 * Throws IssuanceError if CAA records exclude the authority, or cannot be read. Checks nothing for an authority that publishes no names for
 * CAA records. Without any answer, our resolver may be down, which is no failure of the hostname. An answer such as SERVFAIL is a failure
 * of the hostname: the authority gets it, too.
 */
function throwForCaa(caa: Caa, caaIdentities: readonly string[]): void {
  const problem = caaIdentities.length === 0 ? undefined : findCaaProblem(caa, caaIdentities);
  if (problem === undefined) return;
  if (caa.kind !== 'failed') throw new IssuanceError('refused', problem);
  throw new IssuanceError(caa.reason === NO_ANSWER.reason ? 'unavailable' : 'failed', problem);
}
