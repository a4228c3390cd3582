/**
 * Asks DNS about a hostname and judges the answers (`diagnosis.ts`). It asks only the configured resolvers, and makes no
 * connection to an address that a customer's DNS names.
 */
import { chainOf, type LookUp, recordsIn } from '../../platform/dns/look-up.ts';
import { findCaa } from './caa.ts';
import { type Diagnosis, judgeDns } from './diagnosis.ts';
import { type DnsAnswers, proofNameOf } from './dns-facts.ts';
import { findZone } from './dns-zone.ts';
import type { Judging } from './judgement.ts';
import { isOfWildcard } from './wildcard.ts';

/** `website`: whether the hostname may have a website. Null: not known. */
export type Diagnose = (
  hostname: string,
  cnameTarget: string,
  website?: boolean | null,
) => Promise<Diagnosis>;

/** The limit for all lookups together (spec D26). */
const TIMEOUT_MS = 5000;

/** Creates the diagnosis by DNS. `caaIdentities`: the names of our authority in CAA records; none if they are not known. */
export function createDiagnose(lookUp: LookUp, caaIdentities: readonly string[] = []): Diagnose {
  return async (hostname, cnameTarget, website = null) => {
    const endsAt = performance.now() + TIMEOUT_MS;
    const addressesOf = (name: string) =>
      Promise.all([lookUp(name, 'A', endsAt), lookUp(name, 'AAAA', endsAt)]);
    const [cname, txt, addresses, targetAddresses, caa, zone] = await Promise.all([
      lookUp(hostname, 'CNAME', endsAt),
      lookUp(proofNameOf(hostname), 'TXT', endsAt),
      addressesOf(hostname),
      addressesOf(cnameTarget),
      findCaa(lookUp, hostname, endsAt),
      findZone(lookUp, hostname, endsAt),
    ]);
    const answers: DnsAnswers = { cname, txt, addresses, targetAddresses, caa, isWildcard: false };
    const judging: Judging = { ...zone, website, caaIdentities, targetBelowZone: undefined };
    const diagnosis = judgeDns(hostname, cnameTarget, answers, judging);
    if (diagnosis.verdict !== 'wrong') return diagnosis;
    const [isWildcard, targetBelowZone] = await Promise.all([
      isOfWildcard(lookUp, hostname, addresses[0], endsAt),
      findTarget(lookUp, `${hostname}.${zone.zone}`, endsAt),
    ]);
    return judgeDns(hostname, cnameTarget, { ...answers, isWildcard }, { ...judging, targetBelowZone });
  };
}

/**
 * Returns the target of the CNAME record at `name`. The caller passes `hostname.zone`, because a provider that adds the zone to each name
 * puts the record there.
 */
async function findTarget(lookUp: LookUp, name: string, endsAt: number): Promise<string | undefined> {
  const answer = await lookUp(name, 'CNAME', endsAt);
  return chainOf(name, recordsIn(answer))[1];
}
