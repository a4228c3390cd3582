/**
 * Asks DNS about a hostname and judges the answers (`diagnosis.ts`). It asks only the configured resolvers, and makes no
 * connection to an address that a customer's DNS names.
 */
import { randomBytes } from 'node:crypto';
import { chainOf, type DnsAnswer, type LookUp, recordsIn, recordsOf } from '../../platform/dns/look-up.ts';
import { findCaa } from './caa.ts';
import { type Diagnosis, judgeDns } from './diagnosis.ts';
import { type DnsAnswers, proofNameOf } from './dns-facts.ts';

export type Diagnose = (hostname: string, cnameTarget: string) => Promise<Diagnosis>;

/** The limit for all lookups together (spec D26). */
const TIMEOUT_MS = 5000;

export function createDiagnose(lookUp: LookUp): Diagnose {
  return async (hostname, cnameTarget) => {
    const endsAt = performance.now() + TIMEOUT_MS;
    const addressesOf = (name: string) =>
      Promise.all([lookUp(name, 'A', endsAt), lookUp(name, 'AAAA', endsAt)]);
    const [cname, txt, addresses, targetAddresses, caa] = await Promise.all([
      lookUp(hostname, 'CNAME', endsAt),
      lookUp(proofNameOf(hostname), 'TXT', endsAt),
      addressesOf(hostname),
      addressesOf(cnameTarget),
      findCaa(lookUp, hostname, endsAt),
    ]);
    const answers: DnsAnswers = { cname, txt, addresses, targetAddresses, caa, isWildcard: false };
    const diagnosis = judgeDns(hostname, cnameTarget, answers);
    if (diagnosis.verdict !== 'wrong') return diagnosis;
    const isWildcard = await isOfWildcard(lookUp, hostname, answers, endsAt);
    return isWildcard ? judgeDns(hostname, cnameTarget, { ...answers, isWildcard }) : diagnosis;
  };
}

/**
 * Whether a random name beside the hostname has the same CNAME target or addresses. Then a wildcard record answers.
 */
async function isOfWildcard(
  lookUp: LookUp,
  hostname: string,
  { addresses }: DnsAnswers,
  endsAt: number,
): Promise<boolean> {
  const parent = hostname.slice(hostname.indexOf('.') + 1);
  // The parent is a top-level domain, and no registry makes a wildcard for one customer.
  if (!parent.includes('.')) return false;
  const place = placeOf(hostname, addresses[0]!);
  if (place === '') return false;
  const random = `${randomBytes(8).toString('hex')}.${parent}`;
  return placeOf(random, await lookUp(random, 'A', endsAt)) === place;
}

/** Returns the target of the name's CNAME record, or else its addresses. Returns an empty text if it has neither. */
function placeOf(name: string, answer: DnsAnswer): string {
  const addresses = () => recordsOf(name, 'A', answer).map(({ value }) => value);
  return chainOf(name, recordsIn(answer))[1] ?? addresses().sort().join(' ');
}
