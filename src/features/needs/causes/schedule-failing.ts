/** The loads of a schedule fail. The need ends with the first load that succeeds, or when the schedule is paused. */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { timesInARow } from '../../../platform/words.ts';
import type { Cause } from '../cause.ts';

interface Facts {
  readonly failures: number;
  readonly uploadId: string | null;
  readonly message: string | null;
}

export const scheduleFailing: Cause<Facts> = {
  kinds: ['scheduleFailing'],
  find: `
    SELECT 'scheduleFailing' AS kind, c.domain_id, c.sitemap_name AS subject, c.failed_since AS since, NULL::timestamptz AS deadline, true AS is_bad
      FROM schedules c WHERE c.account_id = $1 AND c.failures > 0 AND c.is_enabled`,
  facts: `
    SELECT json_build_object('failures', c.failures, 'uploadId', r.upload_id, 'message', r.message)
      FROM schedules c LEFT JOIN LATERAL (SELECT upload_id, message FROM schedule_runs WHERE schedule_id = c.id AND outcome IN ('refused', 'failed')
                                           ORDER BY n DESC LIMIT 1) AS r ON true
     WHERE c.domain_id = n.domain_id AND c.sitemap_name = n.subject`,
  target: 'upload',
  told: {
    topic: 'uploadsRefused',
    when: 'EXISTS (SELECT FROM schedules c WHERE c.domain_id = n.domain_id AND c.sitemap_name = n.subject AND c.failures >= 3)',
    // A pause of the schedule mends nothing.
    over: `EXISTS (SELECT FROM schedules c WHERE c.domain_id = i.domain_id AND c.sitemap_name = i.subject
                      AND c.failures = 0 AND c.is_enabled)`,
  },
  word({ hostname, subject, facts: { failures, message } }) {
    const times = failures === 2 ? 'twice' : timesInARow(failures);
    return {
      title: `“${shownSitemapName(subject)}” couldn't be loaded${failures === 1 ? '' : ` ${times} in a row`}`,
      detail: `${hostname}${message === null ? '' : ` · ${message}`}`,
      state: 'Loading fails',
    };
  },
  about: ({ subject, facts }) => ({ sitemapName: subject, uploadId: facts.uploadId }),
};
