/** The title and the lead of the DNS card, and its sentence about the next checks. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { isServed } from '../../parts/domain-state.ts';

/** States in which the wanted name has a record that must be changed. */
const CHANGES: ReadonlySet<DomainDetails['dns']['state']> = new Set([
  ...(['wrong_target', 'other_account', 'domain_added', 'proxied', 'wrong_address'] as const),
]);

export function dnsTitle({ dns }: Pick<DomainDetails, 'dns'>): {
  readonly title: string;
  readonly lead: string;
} {
  const name = dns.records[0]?.name ?? '';
  const where = dns.provider
    ? `The DNS of ${dns.zone} is at ${dns.provider.name}.`
    : `Go to where the DNS of ${dns.zone} is managed.`;
  if (dns.state === 'valid') return { title: 'Your DNS is right', lead: where };
  if (dns.state === 'in_use') return { title: 'In use by another account', lead: 'Your record is right.' };
  if (dns.state === 'text_missing') return { title: 'Add one TXT record', lead: where };
  if (CHANGES.has(dns.state))
    return { title: 'Change one DNS record', lead: `${where} Edit the record “${name}” there.` };
  if (dns.state === 'name_added')
    return { title: 'Change one DNS record', lead: `${where} Edit the record “${name}.${dns.zone}” there.` };
  return { title: 'Add one DNS record', lead: `${where} Add the record “${name}” there.` };
}

const HOUR_MS = 3_600_000;

/**
 * Says when the next checks are. `takeDuePending` in `check-store.ts` plans those of a pending domain, and `watch.ts` those of a served
 * one.
 */
export function nextChecks(
  { status, createdAt }: Pick<DomainDetails, 'status' | 'createdAt'>,
  now: number,
): string {
  if (isServed({ status })) return 'We check again soon.';
  if (status === 'failed') return 'Check again when it is changed.';
  const age = now - Date.parse(createdAt);
  if (age < HOUR_MS) return 'We check every minute; you can close this page.';
  if (age < 24 * HOUR_MS) return 'We check every 10 minutes; you can close this page.';
  return 'We check every hour; you can close this page.';
}
