/**
 * Judges the DNS records of a hostname, without asking anyone. A hostname belongs to an account by one of two proofs:
 *
 * ```
 * CNAME  <hostname>           → the cnameTarget of the account and hostname, as its own record
 * TXT    _waypost.<hostname>  = the first label of that cnameTarget, and every address of the hostname is one of ours
 * ```
 * The second is for names that cannot have a CNAME record (an apex), or whose provider shows only its addresses. A
 * hostname that leads to the target of another account has only the first. A lookup that fails proves nothing and
 * disproves nothing.
 */
import { recordsIn, recordsOf } from '../platform/dns/look-up.ts';
import type { Caa } from './caa.ts';
import { type DnsAnswers, proofNameOf, readFacts } from './dns-facts.ts';
import { findDnsProblem } from './dns-problem.ts';
import { shownText } from './shown-text.ts';

/** A record as people read it. */
export interface ShownRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

/** `unknown`: lookups failed, so there is no answer. */
export type Verdict = 'right' | 'wrong' | 'unknown';

export interface Diagnosis {
  readonly verdict: Verdict;
  /** What was found, what is wanted, and the cure. Null when the verdict is `right`. */
  readonly problem: string | null;
  readonly found: readonly ShownRecord[];
  readonly addresses: {
    readonly found: readonly string[];
    /** Whether there are any, and all of them are those of the cnameTarget. Undefined when a lookup failed. */
    readonly areOurs: boolean | undefined;
  };
  readonly caa: Caa;
}

const MAX_SHOWN = 32;

export function judgeDns(hostname: string, cnameTarget: string, answers: DnsAnswers): Diagnosis {
  const facts = readFacts(hostname, cnameTarget, answers);
  const isRight = or(
    facts.target === undefined ? undefined : facts.target === cnameTarget,
    and(!facts.isAnothers, and(facts.hasProof, facts.areOurs)),
  );
  const verdict = isRight === undefined ? 'unknown' : isRight ? 'right' : 'wrong';
  return {
    verdict,
    problem: verdict === 'right' ? null : findDnsProblem(facts, verdict),
    found: shownRecords(hostname, answers),
    addresses: { found: facts.addresses, areOurs: facts.areOurs },
    caa: answers.caa,
  };
}

function shownRecords(hostname: string, { cname, txt, addresses, caa }: DnsAnswers): ShownRecord[] {
  const records = [
    ...recordsIn(cname).filter(({ type }) => type === 'CNAME'),
    ...addresses.flatMap(recordsIn),
    ...recordsOf(proofNameOf(hostname), 'TXT', txt),
    ...(caa.kind === 'found' ? caa.records : []),
  ];
  const shown = records.map(({ owner, type, value, caa: property }) => ({
    type,
    name: shownText(owner),
    value: shownText(property === undefined ? value : `${property.flags} ${property.tag} "${value}"`),
  }));
  const byText = new Map(shown.map((record) => [`${record.type} ${record.name} ${record.value}`, record]));
  return [...byText.values()].slice(0, MAX_SHOWN);
}

type Truth = boolean | undefined;

function and(left: Truth, right: Truth): Truth {
  if (left === false || right === false) return false;
  return left === undefined || right === undefined ? undefined : true;
}

function or(left: Truth, right: Truth): Truth {
  if (left === true || right === true) return true;
  return left === undefined || right === undefined ? undefined : false;
}
