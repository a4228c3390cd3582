/**
 * Advises people on the DNS records of a domain. For each record, it gives the values to type into the form of the DNS provider, the
 * records that were found, the state, and one line with the cure. If a hostname may have a website, no line says to change its address
 * records or its CNAME record.
 */
import type { LastCheck } from './check-store.ts';
import type { ShownRecord } from './diagnosis.ts';
import { proofNameOf, proofOf } from './dns-facts.ts';
import { type DnsProvider, findProvider } from './dns-providers.ts';
import { nameInZone, registeredName } from './dns-zone.ts';
import { type Domain, needsDns } from './domain.ts';
import { JUDGED_STATES, type Judgement } from './judgement.ts';
import { freeName, leaveItAlone } from './website-warning.ts';

/**
 * `unchecked`: there is no judgement yet. `blocked`: only CAA records have this state. `in_use`: valid, but another account has the
 * hostname.
 */
export const RECORD_STATES = [...JUDGED_STATES, 'unchecked', 'in_use', 'blocked'] as const;
type RecordState = (typeof RECORD_STATES)[number];

interface RecordAdvice {
  readonly type: 'CNAME' | 'TXT' | 'A' | 'AAAA' | 'CAA';
  /** The name for the form of a DNS provider: relative to the zone, `@` for the zone itself. */
  readonly name: string;
  readonly value: string;
  readonly found: readonly ShownRecord[];
  readonly state: RecordState;
  readonly message: string | null;
  /** The text to copy for the cure, if it is not `value`. */
  readonly copy: string | null;
}

export interface DnsAdvice {
  readonly zone: string;
  readonly provider: DnsProvider | null;
  readonly state: RecordState;
  readonly message: string | null;
  /** A name for sitemaps beside a hostname that may have a website. */
  readonly suggestion: string | null;
  readonly records: readonly RecordAdvice[];
  /** The records for a name that cannot have a CNAME record. Empty while our addresses are not known. */
  readonly alternativeRecords: readonly RecordAdvice[];
}

type Advised = Pick<Domain, 'hostname' | 'cnameTarget' | 'status'>;

export function adviseOnDns(domain: Advised, { found, judgement }: LastCheck): DnsAdvice {
  const { hostname } = domain;
  const zone = judgement?.zone ?? registeredName(hostname);
  const provider = findProvider(judgement?.nameServers ?? []) ?? null;
  const state = stateOf(domain, judgement);
  const message = messageFor(domain, state, zone, provider, judgement, found);
  return {
    ...{ zone, provider, state, message },
    suggestion: state === 'website' ? freeName(hostname) : null,
    records: needsDns(hostname)
      ? [cnameAdvice(domain, zone, state, message, found), ...caaAdvice(zone, found, judgement)]
      : [],
    alternativeRecords: alternativeAdvice(domain, zone, found, judgement),
  };
}

function stateOf({ status }: Advised, judgement: Judgement | null): RecordState {
  if (judgement === null) return 'unchecked';
  return judgement.state === 'valid' && status === 'pending_verification' ? 'in_use' : judgement.state;
}

function messageFor(
  { hostname, cnameTarget }: Advised,
  state: RecordState,
  zone: string,
  provider: DnsProvider | null,
  judgement: Judgement | null,
  found: readonly ShownRecord[],
): string | null {
  const target = found.find(({ type, name }) => type === 'CNAME' && name === hostname)?.value;
  const address = judgement?.foreign[0];
  switch (state) {
    case 'valid':
    case 'unchecked':
    case 'blocked':
      return null;
    case 'not_found':
      return 'New records can take a few minutes.';
    case 'wrong_target':
      return `The record points to ${target}. Change its value.`;
    case 'other_account':
      return 'This is the value of another Waypost account. Change it to yours.';
    case 'domain_added':
      return 'Your provider added your domain. End the value with a dot.';
    case 'name_added':
      return `Your provider added your domain to the name. Enter only ${nameInZone(hostname, zone)}.`;
    case 'proxied':
      return provider?.name === 'Cloudflare'
        ? "Switch this record's orange cloud to grey."
        : 'Cloudflare stands in front of this name. Switch its proxy off.';
    case 'wildcard':
      return `${judgement?.wildcard} answers for this name. A record of its own goes first: add it.`;
    case 'website':
      return leaveItAlone(hostname, judgement?.foreign ?? []);
    case 'wrong_address':
      return `The name leads to ${address}. Remove that record, then add this one.`;
    case 'text_missing':
      return 'The name leads to Waypost. Add the TXT record to show that it is yours.';
    case 'in_use':
      return `Another Waypost account uses ${hostname}. It becomes free 7 days after its records stop leading there.`;
    case 'no_answer':
      return judgement?.hasProof && judgement.ours.length === 0
        ? `${cnameTarget} has no address. Ask your operator.`
        : "Your name servers don't answer. We keep trying.";
  }
}

function cnameAdvice(
  domain: Advised,
  zone: string,
  state: RecordState,
  message: string | null,
  found: readonly ShownRecord[],
): RecordAdvice {
  const { hostname, cnameTarget } = domain;
  const own = found.filter(({ type, name }) => type === 'CNAME' && name === hostname);
  const addresses = found.filter(({ type }) => type === 'A' || type === 'AAAA');
  return {
    type: 'CNAME',
    name: nameInZone(hostname, zone),
    value: cnameTarget,
    found: own.length > 0 ? own : addresses,
    ...{ state, message },
    copy: state === 'domain_added' ? `${cnameTarget}.` : null,
  };
}

/** Advises on CAA records. Returns nothing if we do not know the name of our authority in them. */
function caaAdvice(
  zone: string,
  found: readonly ShownRecord[],
  judgement: Judgement | null,
): readonly RecordAdvice[] {
  if (judgement === null || judgement.authority === null) return [];
  const value = `0 issue "${judgement.authority}"`;
  const records = found.filter(({ type }) => type === 'CAA');
  const row = {
    type: 'CAA',
    name: nameInZone(records[0]?.name ?? zone, zone),
    value,
    found: records,
  } as const;
  switch (judgement.caa) {
    case 'blocks':
      return [{ ...row, state: 'blocked', message: `Add the CAA record ${value}`, copy: value }];
    case 'no_answer':
      return [{ ...row, state: 'no_answer', message: 'The CAA lookup failed. We keep trying.', copy: null }];
    default:
      return [{ ...row, state: 'valid', message: null, copy: null }];
  }
}

function alternativeAdvice(
  domain: Advised,
  zone: string,
  found: readonly ShownRecord[],
  judgement: Judgement | null,
): readonly RecordAdvice[] {
  if (judgement === null || judgement.ours.length === 0) return [];
  const { hostname, cnameTarget } = domain;
  const isKnown = judgement.state !== 'no_answer';
  const row = (type: RecordAdvice['type'], name: string, value: string, records: readonly ShownRecord[]) => {
    const isThere = records.some((record) => record.value === value);
    const absent = isKnown
      ? records.length > 0 && type !== 'TXT'
        ? 'wrong_address'
        : 'not_found'
      : 'no_answer';
    const state: RecordState = isThere || (type === 'TXT' && judgement.hasProof) ? 'valid' : absent;
    return { type, name: nameInZone(name, zone), value, found: records, state, message: null, copy: null };
  };
  const ofType = (wanted: string) => found.filter(({ type }) => type === wanted);
  return [
    ...judgement.ours.map((address) => {
      const type = address.includes(':') ? 'AAAA' : 'A';
      return row(type, hostname, address, ofType(type));
    }),
    row('TXT', proofNameOf(hostname), proofOf(cnameTarget), ofType('TXT')),
  ];
}
