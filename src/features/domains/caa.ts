/**
 * Finds which certificate authorities may issue for a hostname (RFC 8659). If the hostname has no CAA records, the CAA records of the
 * nearest name above it count. A CNAME is followed at each name, but the names above its target do not count.
 */
import { isBelow } from '../../platform/dns/dns-name.ts';
import { type DnsRecord, type LookUp, recordsOf } from '../../platform/dns/look-up.ts';
import { shownText } from './shown-text.ts';

export type Caa =
  /** No name has a record, so every authority may issue. */
  | { readonly kind: 'none' }
  /** `at` is the name whose records count. */
  | { readonly kind: 'found'; readonly at: string; readonly records: readonly DnsRecord[] }
  /** The lookup of the name `at` failed. Authorities do not issue while it fails. */
  | { readonly kind: 'failed'; readonly at: string; readonly reason: string };

/** The names that are looked up at once. Most hostnames have three labels, so one round is enough for them. A hostname may have 127. */
const NAMES_AT_ONCE = 4;
const CRITICAL = 0x80;
/**
 * RFC 8659, 8657, 9495, the VMC guidelines and the Baseline Requirements define these tags, so authorities know them.
 */
const KNOWN_TAGS = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone'];

export async function findCaa(lookUp: LookUp, hostname: string, endsAt: number): Promise<Caa> {
  const labels = hostname.split('.');
  const names = labels.map((_, i) => labels.slice(i).join('.'));
  for (let i = 0; i < names.length; i += NAMES_AT_ONCE) {
    const group = names.slice(i, i + NAMES_AT_ONCE);
    const answers = await Promise.all(group.map((name) => lookUp(name, 'CAA', endsAt)));
    for (const [n, answer] of answers.entries()) {
      const at = group[n]!;
      if (answer.kind === 'failed') return { kind: 'failed', at, reason: answer.reason };
      const records = recordsOf(at, 'CAA', answer);
      if (records.length > 0) return { kind: 'found', at, records };
    }
  }
  return { kind: 'none' };
}

/**
 * Returns a text for people: why the authority may not issue by the http-01 challenge, and the cure. Returns undefined if it may issue.
 * `identities` are the names of the authority in CAA records, such as letsencrypt.org.
 */
export function findCaaProblem(caa: Caa, identities: readonly string[]): string | undefined {
  if (caa.kind === 'none') return undefined;
  if (caa.kind === 'failed') {
    return `The CAA lookup of ${caa.at} failed (${caa.reason}). No authority issues a certificate until it works: ask the provider of that name's DNS.`;
  }
  const unknown = caa.records.find((record) => isCritical(record) && !KNOWN_TAGS.includes(tagOf(record)));
  if (unknown !== undefined) {
    return `CAA at ${caa.at} has the critical property ${shownText(tagOf(unknown))}, which authorities do not know. Remove that record.`;
  }
  const issue = caa.records.filter((record) => tagOf(record) === 'issue');
  if (issue.length === 0 || issue.some((record) => allows(record.value, identities))) return undefined;
  const allowed = [...new Set(issue.map(({ value }) => shownText(value.split(';')[0]!.trim())))];
  const names = allowed.filter((name) => name !== '');
  const isHttpExcluded = names.some((name) => identities.includes(name.toLowerCase()));
  const only = isHttpExcluded ? 'other validation methods than http-01' : names.join(', ') || 'no authority';
  return `CAA at ${caa.at} allows only ${only}; add \`0 issue "${identities[0]}"\`.`;
}

function isCritical({ caa }: DnsRecord): boolean {
  return ((caa?.flags ?? 0) & CRITICAL) !== 0;
}

const tagOf = ({ caa }: DnsRecord) => (caa?.tag ?? '').toLowerCase();

/** `value` has the form `letsencrypt.org; validationmethods=http-01,dns-01` (RFC 8657). */
function allows(value: string, identities: readonly string[]): boolean {
  const [name = '', ...parameters] = value.split(';').map((part) => part.trim());
  if (!identities.includes(name.toLowerCase())) return false;
  const methods = parameters.find((parameter) => /^validationmethods\s*=/i.test(parameter));
  return (
    methods === undefined ||
    methods
      .split('=')[1]!
      .split(',')
      .some((one) => one.trim() === 'http-01')
  );
}

/** Only the advice on DNS records depends on this list: before an order, we ask the directory itself. */
const BY_HOST: readonly (readonly [host: string, identity: string])[] = [
  ['api.letsencrypt.org', 'letsencrypt.org'],
  ['acme.zerossl.com', 'sectigo.com'],
  ['acme.sectigo.com', 'sectigo.com'],
  ['pki.goog', 'pki.goog'],
  ['api.buypass.com', 'buypass.com'],
  ['acme.ssl.com', 'ssl.com'],
];

/** Returns the names, in CAA records, of the authorities with these ACME directories. Empty if one of the directories is not known. */
export function caaIdentitiesOf(directories: readonly string[]): readonly string[] {
  const found = directories.map((directory) => {
    const { hostname } = new URL(directory);
    return BY_HOST.find(([host]) => isBelow(hostname, host))?.[1];
  });
  return found.every((identity) => identity !== undefined) ? [...new Set(found)] : [];
}
