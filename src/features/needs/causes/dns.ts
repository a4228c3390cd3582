/**
 * The DNS records of a domain are wrong or missing, and the domain is not verified yet, in doubt, or failed. A new domain has a day to get
 * its first record.
 */
import { PENDING_MS } from '../../domains/delete-domain.ts';
import type { ShownRecord } from '../../domains/diagnosis.ts';
import { adviseOnDns, type DnsAdvice } from '../../domains/dns-advice.ts';
import type { Domain } from '../../domains/domain.ts';
import type { Judgement } from '../../domains/judgement.ts';
import { IS_SERVED } from '../../domains/served-domain-store.ts';
import { MOVED_UNTIL_LOST_MS } from '../../domains/watch.ts';
import type { Cause } from '../cause.ts';
import { HOLDER } from './hostname-taken.ts';

interface Facts {
  readonly found: readonly ShownRecord[] | null;
  readonly judgement: Judgement | null;
  readonly cnameTarget: string;
  readonly status: Domain['status'];
}

/** A condition on an unverified domain `d`: its records are wrong, or its records are missing or unknown after a day. */
const LEADS_ELSEWHERE = `(d.dns_problem IS NOT NULL
  AND (d.created_at < now() - interval '1 day'
       OR CASE WHEN d.dns_judgement IS NOT NULL THEN d.dns_judgement->>'state' NOT IN ('not_found', 'no_answer')
               ELSE EXISTS (SELECT FROM jsonb_array_elements(d.dns_found) AS r WHERE r->>'type' IN ('CNAME', 'A', 'AAAA')) END))`;

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
  facts: `SELECT json_build_object('found', d.dns_found, 'judgement', d.dns_judgement, 'cnameTarget', d.cname_target, 'status', d.status)`,
  target: 'dns',
  // People are not told of a single wrong answer of a name server.
  told: {
    topic: 'dns',
    when: `n.subject <> 'pending_verification' AND (n.subject <> 'doubted' OR n.since < now() - interval '30 minutes')`,
    over: `EXISTS (SELECT FROM domains d WHERE d.id = i.domain_id AND d.${IS_SERVED} AND d.wrong_checks = 0)`,
  },
  word({ hostname, subject, facts: { found, judgement, cnameTarget, status } }) {
    if (subject === 'failed') {
      return {
        title: `${hostname} isn't served any more`,
        detail: 'Its DNS led elsewhere for 7 days. Correct the record, then check again',
        state: 'Not served: wrong DNS',
      };
    }
    const check = { found: found ?? [], judgement, problem: null, checkedAt: null, nextCheckAt: null };
    const advice = adviseOnDns({ hostname, cnameTarget, status }, check);
    const { problem, cure, state } = wordRecords(hostname, check.found, advice);
    return { title: `${hostname} ${problem}`, detail: cure, state };
  },
};

/** The states whose advice has the cure. The advice of other states repeats the title. */
const ADVISED: readonly string[] = [
  ...['other_account', 'domain_added', 'name_added', 'proxied', 'wildcard', 'text_missing'],
];

function wordRecords(
  hostname: string,
  found: readonly ShownRecord[],
  { state, message, suggestion }: DnsAdvice,
) {
  if (state === 'website') {
    const instead = suggestion === null ? 'another hostname' : suggestion;
    const cure = `Don't change its DNS. Use ${instead} for your sitemaps`;
    return { problem: 'looks like a website', cure, state: 'Looks like a website' };
  }
  if (state === 'no_answer') {
    return { problem: "can't be looked up", cure: "Its name servers don't answer", state: 'DNS: no answer' };
  }
  const advised = ADVISED.includes(state) ? message?.replace(/\.$/, '') : undefined;
  const wrong = 'DNS: wrong target';
  const cname = found.find(({ type, name }) => type === 'CNAME' && name === hostname);
  if (cname !== undefined) {
    const cure = advised ?? 'The CNAME record needs another value';
    return { problem: `points to ${cname.value}`, cure, state: wrong };
  }
  const address = found.find(({ type }) => type === 'A' || type === 'AAAA');
  if (address !== undefined) {
    // Without a judgement, the address may belong to a website, and a change of the record takes that website off the internet.
    const own =
      state === 'wrong_address'
        ? 'Remove that record, then add the CNAME record'
        : 'If a website answers there, leave its DNS alone and use another hostname';
    return { problem: `points to ${address.value}`, cure: advised ?? own, state: wrong };
  }
  const cure = advised ?? 'Its CNAME record is missing';
  return { problem: "doesn't point to Waypost yet", cure, state: 'DNS: no record yet' };
}
