/**
 * Judges the DNS records of a hostname, and makes no lookup itself. One of two proofs shows that a hostname belongs
 * to an account:
 *
 * ```
 * CNAME  <hostname>           → the cnameTarget of the account and hostname, as its own record
 * TXT    _waypost.<hostname>  = the first label of that cnameTarget, and every address of the hostname is one of ours
 * ```
 * The second proof is for names that cannot have a CNAME record (an apex), or whose provider shows only addresses. It
 * does not count if the hostname leads to the target of another account. A lookup that fails proves nothing and
 * disproves nothing.
 */
import { recordsIn, recordsOf } from '../../platform/dns/look-up.ts';
import type { Caa } from './caa.ts';
import { type DnsAnswers, proofNameOf, readFacts } from './dns-facts.ts';
import { findDnsProblem } from './dns-problem.ts';
import { type Judgement, type Judging, judge } from './judgement.ts';
import { shownText } from './shown-text.ts';

/** A DNS record in the form that people read. */
export interface ShownRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

/** `unknown`: lookups failed, or the addresses of the cnameTarget are missing or changing. */
export type Verdict = 'right' | 'wrong' | 'unknown';

export interface Diagnosis {
  readonly verdict: Verdict;
  /**
   * The message names the records that were found, the ones that are wanted, and the cure. Null when the verdict is
   * `right`.
   */
  readonly problem: string | null;
  readonly found: readonly ShownRecord[];
  readonly addresses: {
    readonly found: readonly string[];
    /**
     * Whether the hostname has addresses, and all of them are addresses of the cnameTarget. Undefined when a lookup failed, or when the
     * addresses of the cnameTarget are missing or changing.
     */
    readonly areOurs: boolean | undefined;
  };
  readonly caa: Caa;
  /** The diagnosis in the form that pages show. */
  readonly judgement: Judgement;
}

const MAX_SHOWN = 32;

export function judgeDns(
  hostname: string,
  cnameTarget: string,
  answers: DnsAnswers,
  judging: Judging,
): Diagnosis {
  const facts = readFacts(hostname, cnameTarget, answers);
  const isRight = or(
    facts.target === undefined ? undefined : facts.target === cnameTarget,
    and(!facts.leadsToOtherAccount, and(facts.hasProof, facts.areOurs)),
  );
  const verdict = isRight === undefined ? 'unknown' : isRight ? 'right' : 'wrong';
  const judgement = judge(facts, answers, verdict, judging);
  return {
    verdict,
    problem: verdict === 'right' ? null : findDnsProblem(facts, verdict, judgement),
    found: shownRecords(hostname, answers),
    addresses: { found: facts.addresses, areOurs: facts.areOurs },
    caa: answers.caa,
    judgement,
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
