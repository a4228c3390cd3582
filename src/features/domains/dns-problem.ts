/** Tells people in one message which records DNS has, which are wanted, and the cure. */
import { isOfCloudflare } from './cloudflare-ranges.ts';
import { type DnsFacts, proofNameOf, proofOf } from './dns-facts.ts';
import type { Judgement } from './judgement.ts';
import { shownText } from './shown-text.ts';
import { leaveItAlone } from './website-warning.ts';

/** An answer may have many addresses, and a message names at most this many. */
const MAX_NAMED = 4;

export function findDnsProblem(
  facts: DnsFacts,
  verdict: 'wrong' | 'unknown',
  { state, foreign, zone }: Judgement,
): string {
  const { hostname, cnameTarget, target } = facts;
  if (verdict === 'unknown') return lookUpProblem(facts);
  // Advise no change of the records, because a change may take a website off the internet.
  if (state === 'website') return `${websiteReason(facts)}${leaveItAlone(hostname, foreign)}`;
  if (facts.hasProof && facts.areOurs === false) return addressProblem(facts);
  const cname = `Create a CNAME record from ${hostname} to ${cnameTarget}`;
  if (state === 'domain_added') {
    return `The CNAME record points to the wrong target, ${shownText(target!)}. Your DNS provider added ${zone} to the value: end the value with a dot.`;
  }
  if (typeof target === 'string') {
    return `The CNAME record points to the wrong target, ${shownText(target)}. ${cname} instead.${wildcardHint(facts)}`;
  }
  const cure = `${cname}, DNS only (not proxied). New records can take a few minutes.`;
  const hint =
    state === 'name_added'
      ? `It is at ${hostname}.${zone}, because your DNS provider added ${zone} to the name.`
      : absenceHint(facts);
  return ['No matching CNAME record was found.', hint, cure].filter(Boolean).join(' ') + wildcardHint(facts);
}

function websiteReason({ target }: DnsFacts): string {
  if (typeof target === 'string')
    return `The CNAME record points to the wrong target, ${shownText(target)}. `;
  return 'No matching CNAME record was found. ';
}

function lookUpProblem({ hostname, cnameTarget, ourAddresses, failure }: DnsFacts): string {
  if (failure === undefined && ourAddresses.length === 0) {
    return `The TXT record is right, but ${cnameTarget} has no address. Ask your operator to correct its DNS.`;
  }
  return `The DNS lookup of ${hostname} failed or took too long (${failure}). Try again in a minute.`;
}

/** Describes a hostname that has the TXT record, but whose addresses are not all ours. */
function addressProblem(facts: DnsFacts): string {
  const { hostname, addresses, ourAddresses } = facts;
  const foreign = addresses.filter((address) => !ourAddresses.includes(address));
  const wanted = `must have no address but ${named(ourAddresses)}`;
  if (addresses.length === 0) return `The TXT record is right, but ${hostname} has no address. It ${wanted}.`;
  const cure = foreign.some(isOfCloudflare)
    ? 'Switch off the proxy of that record ("DNS only").'
    : 'Correct the A and AAAA records.';
  return `The TXT record is right, but ${hostname} leads to ${named(foreign)}. It ${wanted}. ${cure}`;
}

/** Describes the addresses that the hostname has in place of a CNAME record, and the cure. */
function absenceHint(facts: DnsFacts): string {
  const { hostname, cnameTarget, addresses, areOurs } = facts;
  const proof = `a TXT record at ${proofNameOf(hostname)} with the text ${proofOf(cnameTarget)}`;
  if (addresses.length === 0) return '';
  if (areOurs) return `${hostname} leads here, but its provider shows only addresses. Add ${proof}.`;
  if (addresses.some(isOfCloudflare)) {
    return `${hostname} is proxied by Cloudflare (${named(addresses)}). Switch the record to "DNS only".`;
  }
  return `${hostname} has the addresses ${named(addresses)}. If it cannot have a CNAME record, give it only the addresses of ${cnameTarget} and ${proof}.`;
}

function wildcardHint({ hostname, isWildcard }: DnsFacts): string {
  if (!isWildcard) return '';
  const parent = hostname.slice(hostname.indexOf('.') + 1);
  return ` The wildcard record *.${parent} answers in its place: a record of its own takes precedence.`;
}

function named(addresses: readonly string[]): string {
  const rest = addresses.length - MAX_NAMED;
  const list = addresses.slice(0, MAX_NAMED).join(', ');
  return rest > 0 ? `${list} and ${rest} more` : list;
}
