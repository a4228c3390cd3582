/** Reads from the answers of DNS what the verdict and the message about a hostname need (`diagnosis.ts`). */
import { isBelow } from '../platform/dns/dns-name.ts';
import { chainOf, type DnsAnswer, recordsIn, recordsOf } from '../platform/dns/look-up.ts';
import type { Caa } from './caa.ts';
import type { Domain } from './domain.ts';

/** The answers of the resolvers. */
export interface DnsAnswers {
  readonly cname: DnsAnswer;
  readonly txt: DnsAnswer;
  /** A, then AAAA of the hostname. */
  readonly addresses: readonly DnsAnswer[];
  /** A, then AAAA of the cnameTarget. */
  readonly targetAddresses: readonly DnsAnswer[];
  readonly caa: Caa;
  /** Whether a name that nobody registered has the same records, so they come from a wildcard. */
  readonly isWildcard: boolean;
}

/** What the answers say, for the verdict and the message. Undefined: a lookup failed. */
export interface DnsFacts {
  readonly hostname: string;
  readonly cnameTarget: string;
  /** Where the hostname's own CNAME record points to. Null without one. */
  readonly target: string | null | undefined;
  readonly hasProof: boolean | undefined;
  readonly addresses: readonly string[];
  readonly ourAddresses: readonly string[];
  readonly areOurs: boolean | undefined;
  /** Whether its CNAME records lead to a target below our base that is not this account's. */
  readonly isAnothers: boolean;
  readonly isWildcard: boolean;
  /** Why lookups failed. */
  readonly failure: string | undefined;
}

export const proofNameOf = (hostname: string) => `_waypost.${hostname}`;
export const proofOf = (cnameTarget: string) => cnameTarget.split('.')[0]!;

/** The records of the two proofs. `alternative`: together with addresses that are all ours. */
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
    // The hostname's own record alone: a resolver also answers with the records of its target.
    target: cname.kind === 'failed' ? undefined : (chainOf(hostname, cname.records)[1] ?? null),
    hasProof: txt.kind === 'failed' ? undefined : hasProof(hostname, cnameTarget, txt),
    addresses: found,
    ourAddresses,
    areOurs: areAllOurs(found, ourAddresses, answers),
    isAnothers: hops.some((hop) => hop !== cnameTarget && isBelow(hop, base)),
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
  found: readonly string[],
  ours: readonly string[],
  { addresses, targetAddresses }: DnsAnswers,
): boolean | undefined {
  const isTargetKnown = targetAddresses.every(({ kind }) => kind === 'answered');
  // Without addresses of our own, the fault is ours, and says nothing about the hostname.
  if (!isTargetKnown || ours.length === 0) return undefined;
  if (found.some((address) => !ours.includes(address))) return false;
  if (addresses.some(({ kind }) => kind === 'failed')) return undefined;
  return found.length > 0;
}

function addressesOf(name: string, [a, aaaa]: readonly DnsAnswer[]): string[] {
  return [...recordsOf(name, 'A', a!), ...recordsOf(name, 'AAAA', aaaa!)].map(({ value }) => value);
}
