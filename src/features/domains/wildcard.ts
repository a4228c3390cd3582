/** Finds out whether a wildcard record answers in place of a hostname's own records. */
import { randomBytes } from 'node:crypto';
import { chainOf, type DnsAnswer, type LookUp, recordsIn, recordsOf } from '../../platform/dns/look-up.ts';

/**
 * Returns whether a random name beside the hostname has the same CNAME target or addresses. `answer`: the answer for the A records of the
 * hostname.
 */
export async function isOfWildcard(
  lookUp: LookUp,
  hostname: string,
  answer: DnsAnswer,
  endsAt: number,
): Promise<boolean> {
  const parent = hostname.slice(hostname.indexOf('.') + 1);
  // The parent is a top-level domain, and no registry makes a wildcard for one customer.
  if (!parent.includes('.')) return false;
  const place = placeOf(hostname, answer);
  if (place === '') return false;
  const random = `${randomBytes(8).toString('hex')}.${parent}`;
  return placeOf(random, await lookUp(random, 'A', endsAt)) === place;
}

/** Returns the target of the name's CNAME record, or else its addresses. Returns an empty text if it has neither. */
function placeOf(name: string, answer: DnsAnswer): string {
  const addresses = () => recordsOf(name, 'A', answer).map(({ value }) => value);
  return chainOf(name, recordsIn(answer))[1] ?? addresses().sort().join(' ');
}
