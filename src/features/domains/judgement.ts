/**
 * Judges the DNS records of a hostname: the state that people see, and its facts. A judgement is stored with the domain, so that the page
 * of the domain needs no lookup. `dns-advice.ts` makes the texts when the page is read.
 */
import { isBelow } from '../../platform/dns/dns-name.ts';
import { findCaaProblem } from './caa.ts';
import { isOfCloudflare } from './cloudflare-ranges.ts';
import type { Verdict } from './diagnosis.ts';
import type { DnsAnswers, DnsFacts } from './dns-facts.ts';
import type { DnsZone } from './dns-zone.ts';
import { shownText } from './shown-text.ts';
import { isWebsiteName } from './website-warning.ts';

/**
 * | state | records of the hostname |
 * |---|---|
 * | valid | the wanted records |
 * | not_found | nothing |
 * | wrong_target | a CNAME record to another name |
 * | other_account | the CNAME record of another account |
 * | domain_added | our target with the zone behind it: the provider took the value for a relative name |
 * | name_added | nothing, and the record is at `hostname.zone`: the provider took the name for a relative one |
 * | proxied | addresses of Cloudflare |
 * | wildcard | only the records of a wildcard |
 * | website | addresses of others, and perhaps a website |
 * | wrong_address | addresses of others, and no website |
 * | text_missing | our addresses, and no TXT record that names the account |
 * | no_answer | not known: lookups failed, or the cnameTarget has no address |
 */
export const JUDGED_STATES = [
  ...(['valid', 'not_found', 'wrong_target', 'other_account', 'domain_added', 'name_added'] as const),
  ...(['proxied', 'wildcard', 'website', 'wrong_address', 'text_missing', 'no_answer'] as const),
] as const;
type JudgedState = (typeof JUDGED_STATES)[number];

export interface Judgement {
  readonly state: JudgedState;
  readonly zone: string;
  readonly nameServers: readonly string[];
  /** The addresses of the cnameTarget. */
  readonly ours: readonly string[];
  /** Addresses of the hostname that are not ours. */
  readonly foreign: readonly string[];
  readonly hasProof: boolean;
  /** The name of the wildcard record that answers. */
  readonly wildcard: string | null;
  /** Whether the CAA records let our authority issue. `unknown`: we do not know its name. */
  readonly caa: 'allows' | 'blocks' | 'no_answer' | 'unknown';
  /** The name of the authority in CAA records. */
  readonly authority: string | null;
}

/** The facts of a judgement that do not come from the records of the hostname. */
export interface Judging extends DnsZone {
  /** Whether the hostname may have a website. Null: not known. */
  readonly website: boolean | null;
  readonly caaIdentities: readonly string[];
  /** The target of a CNAME record at `hostname.zone`. */
  readonly targetBelowZone: string | undefined;
}

const MAX_ADDRESSES = 8;

export function judge(facts: DnsFacts, answers: DnsAnswers, verdict: Verdict, judging: Judging): Judgement {
  const { zone, nameServers, caaIdentities } = judging;
  const foreign = facts.addresses.filter((address) => !facts.ourAddresses.includes(address));
  return {
    state: stateOf(facts, foreign, verdict, judging),
    zone,
    nameServers: nameServers.map(shownText),
    ours: facts.ourAddresses.slice(0, MAX_ADDRESSES),
    foreign: foreign.slice(0, MAX_ADDRESSES),
    hasProof: facts.hasProof === true,
    wildcard: facts.isWildcard ? `*.${facts.hostname.slice(facts.hostname.indexOf('.') + 1)}` : null,
    caa: judgeCaa(answers, caaIdentities),
    authority: caaIdentities[0] ?? null,
  };
}

function stateOf(
  facts: DnsFacts,
  foreign: readonly string[],
  verdict: Verdict,
  { zone, website, targetBelowZone }: Judging,
): JudgedState {
  const { hostname, cnameTarget, target } = facts;
  if (verdict === 'right') return 'valid';
  if (typeof target === 'string' && isAppended(target, cnameTarget, hostname, zone)) return 'domain_added';
  if (facts.leadsToOtherAccount) return 'other_account';
  // A record of the hostname itself takes precedence over the wildcard, and other names of the wildcard keep their answers. So it is safe
  // to advise people to add a record of the hostname itself.
  if (facts.isWildcard && !isWebsiteName(hostname)) return 'wildcard';
  if (foreign.length > 0 && website !== false) return 'website';
  if (verdict === 'unknown') return 'no_answer';
  if (typeof target === 'string')
    return facts.areAddressesKnown || website === false ? 'wrong_target' : 'no_answer';
  if (foreign.length > 0) return foreign.some(isOfCloudflare) ? 'proxied' : 'wrong_address';
  if (facts.areOurs) return 'text_missing';
  return targetBelowZone === cnameTarget ? 'name_added' : 'not_found';
}

/** Returns whether a provider has appended the zone, or another name of the customer, to our target. */
function isAppended(target: string, cnameTarget: string, hostname: string, zone: string): boolean {
  if (!target.startsWith(`${cnameTarget}.`)) return false;
  const rest = target.slice(cnameTarget.length + 1);
  return rest === zone || isBelow(hostname, rest) || isBelow(rest, zone);
}

function judgeCaa({ caa }: DnsAnswers, identities: readonly string[]): Judgement['caa'] {
  if (caa.kind === 'failed') return 'no_answer';
  if (identities.length === 0) return caa.kind === 'none' ? 'allows' : 'unknown';
  return findCaaProblem(caa, identities) === undefined ? 'allows' : 'blocks';
}
