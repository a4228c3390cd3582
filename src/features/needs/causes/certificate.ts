/**
 * A certificate whose last attempt to be issued or renewed failed, or that ends within 14 days. A certificate with a lifetime of less than
 * 56 days counts as ending only in the last quarter of its lifetime.
 */

import { inDays } from '../../../platform/words.ts';
import { IS_SERVED } from '../../domains/served-domain-store.ts';
import type { Cause } from '../cause.ts';

interface Facts {
  readonly notAfter: string | null;
  readonly isActive: boolean;
  readonly lastError: string | null;
}

const IS_ENDING = `c.not_after < now() + least(interval '14 days', (c.not_after - c.not_before) / 4)`;

/**
 * Leaves out domains whose DNS leads elsewhere. They can get no certificate until their DNS is mended. Such a domain has a need of the
 * cause `dns`.
 */
const select = (condition: string) => `
    SELECT c.domain_id, c.failing_since AS since, CASE WHEN d.status = 'active' THEN c.not_after END AS deadline,
           d.status <> 'active' OR ${IS_ENDING} AS is_bad
      FROM certificates c JOIN domains d ON d.id = c.domain_id
     WHERE c.account_id = $1 AND d.wrong_checks = 0 AND (d.${IS_SERVED} OR d.status = 'failed' AND d.moved_at IS NULL) AND ${condition}`;

export const certificate: Cause<Facts> = {
  kinds: ['certificate'],
  find: `
    SELECT 'certificate' AS kind, domain_id, '' AS subject, since, deadline, coalesce(is_bad, true) AS is_bad
      FROM (${select('c.failures > 0')}
            UNION ALL
            ${select(`c.failures = 0 AND c.domain_id IS NOT NULL AND c.not_after < now() + interval '14 days' AND ${IS_ENDING} AND d.status = 'active'`)}) AS c`,
  facts: `
    SELECT json_build_object('notAfter', c.not_after, 'isActive', d.status = 'active', 'lastError', c.last_error)
      FROM certificates c WHERE c.domain_id = n.domain_id`,
  target: 'certificate',
  told: {
    topic: 'certificate',
    when: `coalesce(n.since < now() - interval '1 hour', true)`,
    over: `EXISTS (SELECT FROM certificates c JOIN domains d ON d.id = c.domain_id
                    WHERE c.domain_id = i.domain_id AND c.failures = 0 AND d.status = 'active' AND d.wrong_checks = 0)`,
  },
  word({ hostname, severity, now, facts: { notAfter, isActive, lastError } }) {
    const detail = lastError === null ? 'Its renewal is late' : lastError.replace(/\.$/, '');
    if (!isActive || notAfter === null) {
      return { title: `${hostname} has no certificate`, detail, state: 'No certificate' };
    }
    if (severity === 'waiting') {
      return {
        title: `The certificate of ${hostname} can't be renewed`,
        detail,
        state: "Certificate can't be renewed",
      };
    }
    const when = inDays(new Date(notAfter), now);
    return {
      title: `The certificate of ${hostname} expires ${when}`,
      detail,
      state: `Certificate expires ${when}`,
    };
  },
};
