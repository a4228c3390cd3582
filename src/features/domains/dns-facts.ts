/**
 * Extracts from the answers of DNS the facts that the verdict and the message about a hostname need (`diagnosis.ts`).
 */
import { isBelow } from '../../platform/dns/dns-name.ts';
import { chainOf, type DnsAnswer, recordsIn, recordsOf } from '../../platform/dns/look-up.ts';
import type { Caa } from './caa.ts';
import type { Domain } from './domain.ts';

/** The answers of the resolvers. */
export interface DnsAnswers {
  readonly cname: DnsAnswer;
  readonly txt: DnsAnswer;
  /** The answers for A and AAAA of the hostname, in this order. */
  readonly addresses: readonly DnsAnswer[];
  /** The answers for A and AAAA of the cnameTarget, in this order. */
  readonly targetAddresses: readonly DnsAnswer[];
  readonly caa: Caa;
  /** Whether a random name beside the hostname has the same records, which shows that they come from a wildcard. */
  readonly isWildcard: boolean;
}

/** The facts for the verdict and the message. A fact is undefined if the lookups do not show it. */
export interface DnsFacts {
  readonly hostname: string;
  readonly cnameTarget: string;
  /** The target of the hostname's own CNAME record. Null if there is no such record. */
  readonly target: string | null | undefined;
  readonly hasProof: boolean | undefined;
  readonly addresses: readonly string[];
  readonly ourAddresses: readonly string[];
  readonly areOurs: boolean | undefined;
  /** Whether the lookups of the addresses gave answers. */
  readonly areAddressesKnown: boolean;
  /** Whether the CNAME records of the hostname lead to the cnameTarget of another account. */
  readonly leadsToOtherAccount: boolean;
  readonly isWildcard: boolean;
  /** The reason why a lookup failed. */
  readonly failure: string | undefined;
}

export const proofNameOf = (hostname: string) => `_waypost.${hostname}`;
export const proofOf = (cnameTarget: string) => cnameTarget.split('.')[0]!;

/** Returns the records of the two proofs. `alternative` counts only if all addresses of the hostname are ours. */
export function wantedRecords({ hostname, cnameTarget }: Pick<Domain, 'hostname' | 'cnameTarget'>) {
  return {
    wanted: { type: 'CNAME', name: hostname, value: cnameTarget },
    alternative: { type: 'TXT', name: proofNameOf(hostname), value: proofOf(cnameTarget) },
  };
}

export function readFacts(hostname: string, cnameTarget: string, answers: DnsAnswers): DnsFacts {
  const { cname, txt, addresses, targetAddresses, isWildcard } = answers;
  const found = addressesOf(hostname, addresses);
  const ourAddresses = addressesOf(cnameTarget, targetAddresses);
  const base = cnameTarget.slice(cnameTarget.indexOf('.') + 1);
  const hops = [cname, ...addresses].flatMap((answer) => chainOf(hostname, recordsIn(answer)).slice(1));
  const failed = [cname, txt, ...addresses, ...targetAddresses].find(({ kind }) => kind === 'failed');
  return {
    hostname,
    cnameTarget,
    // A resolver also returns the records of the CNAME target. Only the record of the hostname itself counts.
    target: cname.kind === 'failed' ? undefined : (chainOf(hostname, cname.records)[1] ?? null),
    hasProof: txt.kind === 'failed' ? undefined : hasProof(hostname, cnameTarget, txt),
    addresses: found,
    ourAddresses,
    areOurs: areAllOurs(hostname, cnameTarget, ourAddresses, answers),
    areAddressesKnown: addresses.every(({ kind }) => kind === 'answered'),
    leadsToOtherAccount: hops.some((hop) => hop !== cnameTarget && isBelow(hop, base)),
    isWildcard,
    failure: failed?.kind === 'failed' ? failed.reason : undefined,
  };
}

function hasProof(hostname: string, cnameTarget: string, txt: DnsAnswer): boolean {
  const proof = proofOf(cnameTarget);
  const texts = recordsOf(proofNameOf(hostname), 'TXT', txt);
  return texts.some(({ value }) => value.trim().toLowerCase() === proof);
}

function areAllOurs(
  hostname: string,
  cnameTarget: string,
  ours: readonly string[],
  { addresses, targetAddresses }: DnsAnswers,
): boolean | undefined {
  const isTargetKnown = targetAddresses.every(({ kind }) => kind === 'answered');
  // If our cnameTarget has no addresses, the fault is ours, and says nothing about the hostname.
  if (!isTargetKnown || ours.length === 0) return undefined;
  const foreign = addresses.filter((answer, n) =>
    recordsOf(hostname, ADDRESS_TYPES[n]!, answer).some(({ value }) => !ours.includes(value)),
  );
  // All addresses behind our cnameTarget are ours. If two answers about them differ, our addresses are changing, or rotate.
  const isBehindTarget = (answer: DnsAnswer) => chainOf(hostname, recordsIn(answer)).includes(cnameTarget);
  if (foreign.length > 0) return foreign.every(isBehindTarget) ? undefined : false;
  if (addresses.some(({ kind }) => kind === 'failed')) return undefined;
  return addressesOf(hostname, addresses).length > 0;
}

const ADDRESS_TYPES = ['A', 'AAAA'] as const;

function addressesOf(name: string, [a, aaaa]: readonly DnsAnswer[]): string[] {
  return [...recordsOf(name, 'A', a!), ...recordsOf(name, 'AAAA', aaaa!)].map(({ value }) => value);
}
