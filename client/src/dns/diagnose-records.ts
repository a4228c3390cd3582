/** Judges the records of a domain, without network requests. The service decides, and may use other resolvers. */
import type { DnsRecord, DnsState } from '../answers.ts';
import type { Records } from './look-up-records.ts';

export interface Diagnosis {
  readonly isRight: boolean;
  readonly found: readonly DnsRecord[];
  readonly failures: readonly string[];
  /** Advice on each problem, in full sentences. */
  readonly advice: readonly string[];
}

type Wanted = Pick<DnsState, 'wanted' | 'alternative'>;

export function diagnoseRecords(dns: Wanted, records: Records): Diagnosis {
  const { cname, txt, addresses, caa, failures } = records;
  const isRight = hasWantedCname(dns, records) || hasProofWithoutCname(dns, records);
  const advice = [
    ...(isRight ? ['The records are right, as seen from here.'] : cures(dns, records)),
    ...caaAdvice(caa),
    ...failures.map((failure) => `No answer: ${failure}. Ask again, or another server with --resolver.`),
  ];
  return { isRight, found: [...cname, ...txt, ...addresses, ...caa], failures, advice };
}

function hasWantedCname({ wanted }: Wanted, { cname }: Records): boolean {
  return cname.some(({ value }) => isSameName(value, wanted.value));
}

function hasProofWithoutCname(
  { alternative }: Wanted,
  { txt, addresses, targetAddresses }: Records,
): boolean {
  const ours = new Set(targetAddresses.map(({ value }) => value));
  const leadsHere = addresses.length > 0 && addresses.every(({ value }) => ours.has(value));
  return leadsHere && txt.some(({ value }) => value === alternative.value);
}

function cures({ wanted, alternative }: Wanted, { cname, txt, addresses, failures }: Records): string[] {
  const record = `${wanted.name} CNAME ${wanted.value}`;
  if (failures.length > 0 && cname.length === 0)
    return ['Some lookups had no answer, so nothing can be said for sure.'];
  const [wrong] = cname;
  if (wrong !== undefined) {
    return [`The CNAME record leads to ${wrong.value}. Change it to ${wanted.value}.`];
  }
  if (addresses.length === 0) {
    return [`There is no record for ${wanted.name}. At your DNS provider, make: ${record}`];
  }
  const hasProof = txt.some(({ value }) => value === alternative.value);
  if (hasProof) {
    return [`The TXT record is right, but the addresses of ${wanted.name} are not those of ${wanted.value}.`];
  }
  return [
    `There are addresses, but no CNAME record. If your provider proxies the name, switch that off ("DNS only"). If not, replace them by: ${record}`,
    `If the name cannot have a CNAME record: point it to the addresses of ${wanted.value}, and make the TXT record ${alternative.name} with ${alternative.value}`,
  ];
}

function caaAdvice(caa: readonly DnsRecord[]): string[] {
  if (caa.length === 0) return [];
  return [
    `CAA records of ${caa[0]!.name} limit who may issue its certificate. The authority of the service must be among them.`,
  ];
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase().replace(/\.$/, '') === other.toLowerCase().replace(/\.$/, '');
}
