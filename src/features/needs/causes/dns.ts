/**
 * The DNS records of a domain lead elsewhere: it is not verified yet, in doubt, or failed. A new domain has a day to get its first
 * record.
 */
import { PENDING_MS } from '../../domains/delete-domain.ts';
import type { ShownRecord } from '../../domains/diagnosis.ts';
import { IS_SERVED } from '../../domains/served-domain-store.ts';
import { MOVED_UNTIL_LOST_MS } from '../../domains/watch.ts';
import type { Cause } from '../cause.ts';
import { HOLDER } from './hostname-taken.ts';

interface Facts {
  readonly found: readonly ShownRecord[] | null;
}

/** A row of a domain `d` whose records do not lead here, as far as its last check tells. */
const LEADS_ELSEWHERE = `(d.dns_problem IS NOT NULL
  AND (EXISTS (SELECT FROM jsonb_array_elements(d.dns_found) AS r WHERE r->>'type' IN ('CNAME', 'A', 'AAAA'))
       OR d.created_at < now() - interval '1 day'))`;

export const dns: Cause<Facts> = {
  kinds: ['dns'],
  find: `
    SELECT 'dns' AS kind, d.id AS domain_id,
           CASE WHEN d.${IS_SERVED} THEN 'doubted' ELSE d.status END AS subject,
           coalesce(d.wrong_since, d.created_at) AS since,
           CASE WHEN d.status = 'pending_verification' THEN d.created_at + interval '${PENDING_MS} milliseconds'
                WHEN d.${IS_SERVED} THEN d.moved_at + interval '${MOVED_UNTIL_LOST_MS} milliseconds' END AS deadline,
           d.status <> 'pending_verification' AS is_bad
      FROM domains d
     WHERE d.account_id = $1 AND (d.status IN ('pending_verification', 'failed') OR d.wrong_checks > 0)
       AND (d.status = 'pending_verification' AND ${LEADS_ELSEWHERE} OR d.status = 'failed' AND d.moved_at IS NOT NULL
            OR d.${IS_SERVED} AND d.wrong_checks > 0)
       AND NOT EXISTS (${HOLDER})`,
  facts: `SELECT json_build_object('found', d.dns_found)`,
  target: 'dns',
  word({ hostname, subject, facts: { found } }) {
    const { problem, cure } = wordRecords(hostname, found ?? []);
    if (subject !== 'failed')
      return { title: `${hostname} ${problem}`, detail: cure, state: stateOf(problem) };
    return {
      title: `${hostname} isn’t served any more`,
      detail: 'Its DNS led elsewhere for 7 days. Correct the record, then check again',
      state: 'Not served: wrong DNS',
    };
  },
};

const NO_RECORD = 'doesn’t point to Waypost yet';
const stateOf = (problem: string) => (problem === NO_RECORD ? 'DNS: no record yet' : 'DNS: wrong target');

function wordRecords(hostname: string, found: readonly ShownRecord[]) {
  const cname = found.find(({ type, name }) => type === 'CNAME' && name === hostname);
  if (cname !== undefined) {
    return { problem: `points to ${cname.value}`, cure: 'The CNAME record needs another value' };
  }
  const address = found.find(({ type }) => type === 'A' || type === 'AAAA');
  // If this is a website, changing the record takes it off the internet.
  if (address !== undefined) {
    return {
      problem: `points to ${address.value}`,
      cure: 'If a website answers there, leave its DNS alone and use another hostname',
    };
  }
  return { problem: NO_RECORD, cure: 'Its CNAME record is missing' };
}
