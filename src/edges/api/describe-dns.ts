/** The DNS of a domain as the API shows it (docs/decisions/0065). */
import { z } from 'zod';
import type { LastCheck } from '../../features/domains/check-store.ts';
import { isProxied } from '../../features/domains/cloudflare-ranges.ts';
import { adviseOnDns, RECORD_STATES } from '../../features/domains/dns-advice.ts';
import { wantedRecords } from '../../features/domains/dns-facts.ts';
import type { Domain } from '../../features/domains/domain.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { described, type Shown, text, time } from './shapes.ts';

const record = z.object({ type: text, name: text, value: text }).meta({ id: 'DnsRecord' });

const advice = z
  .object({
    type: z.enum(['CNAME', 'TXT', 'A', 'AAAA', 'CAA']),
    name: described(text, 'As the form of a DNS provider takes it: without the zone, and `@` for the zone.'),
    value: text,
    found: z.array(record).max(32),
    state: z.enum(RECORD_STATES),
    message: described(text.nullable(), 'For people: the cure.'),
    copy: described(text.nullable(), 'What the cure needs in place of `value`.'),
  })
  .meta({ id: 'DnsAdvice' });

export const dns = z
  .object({
    wanted: described(record, 'The CNAME record to make.'),
    alternative: described(record, 'The TXT record for a name that cannot have a CNAME record.'),
    found: described(z.array(record).max(32), 'The records of the last check.'),
    proxied: described(z.boolean(), 'Whether a proxy shows its addresses in place of the CNAME record.'),
    problem: described(text.nullable(), 'For people: what is wrong, and the cure.'),
    state: described(
      z.enum(RECORD_STATES),
      'What the last check means. `website`: the hostname may have a website, so leave its records alone.',
    ),
    message: described(text.nullable(), 'For people: `state` in a sentence, with the cure.'),
    suggestion: described(text.nullable(), 'With `website`: a name of its own for sitemaps.'),
    zone: described(text, 'The zone that has the records.'),
    provider: described(
      z.object({ name: text, url: described(text, 'Where its customers edit their records.') }).nullable(),
      'Who answers for the zone, if we know its name servers.',
    ),
    records: described(z.array(advice).max(2), 'The records to have. Empty below `localhost`.'),
    alternativeRecords: described(
      z.array(advice).max(9),
      'Those for a name that cannot have a CNAME record. Empty before the first check.',
    ),
    checkedAt: time.nullable(),
    nextCheckAt: described(time.nullable(), 'Null if none is planned.'),
  })
  .meta({ id: 'Dns' });

export function describeDns(domain: Domain, check: LastCheck): Shown<typeof dns> {
  const { found, problem, checkedAt, nextCheckAt } = check;
  return {
    ...wantedRecords(domain),
    found,
    proxied: problem !== null && isProxied(domain.hostname, found),
    problem,
    ...adviseOnDns(domain, check),
    checkedAt: checkedAt && isoSeconds(checkedAt),
    nextCheckAt: nextCheckAt && isoSeconds(nextCheckAt),
  };
}
