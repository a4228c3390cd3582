/** At least the last three uploads of a sitemap were refused, the last of them within 30 days, and no upload was published since then. */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { dayOf, timesInARow } from '../../../platform/words.ts';
import type { Cause } from '../cause.ts';

interface Facts {
  readonly times: number;
  readonly uploadId: string;
  readonly publishedAt: string | null;
}

export const uploadsRefused: Cause<Facts> = {
  kinds: ['uploadsRefused'],
  find: `
    SELECT 'uploadsRefused' AS kind, r.domain_id, r.sitemap_name AS subject, r.last_at AS since, NULL::timestamptz AS deadline, true AS is_bad
      FROM refused_uploads r
     WHERE r.account_id = $1 AND r.times >= 3 AND r.last_at > now() - interval '30 days'
       -- Its schedule says so already.
       AND NOT EXISTS (SELECT FROM schedules c WHERE c.domain_id = r.domain_id AND c.sitemap_name = r.sitemap_name
                          AND c.failures > 0 AND c.is_enabled)
       AND NOT EXISTS (SELECT FROM sitemaps s WHERE s.domain_id = r.domain_id AND s.name = r.sitemap_name
                          AND (s.upload_id IS DISTINCT FROM r.live_upload_id OR s.confirmed_at > r.last_at))`,
  facts: `
    SELECT json_build_object('times', r.times, 'uploadId', r.attempt_id, 'publishedAt',
                             (SELECT updated_at FROM sitemaps WHERE domain_id = n.domain_id AND name = n.subject))
      FROM refused_uploads r WHERE r.domain_id = n.domain_id AND r.sitemap_name = n.subject`,
  target: 'upload',
  told: {
    topic: 'uploadsRefused',
    when: 'true',
    over: `EXISTS (SELECT FROM refused_uploads r JOIN sitemaps s ON s.domain_id = r.domain_id AND s.name = r.sitemap_name
                    WHERE r.domain_id = i.domain_id AND r.sitemap_name = i.subject
                      AND (s.upload_id IS DISTINCT FROM r.live_upload_id OR s.confirmed_at > r.last_at))`,
  },
  word({ hostname, subject, now, facts: { times, publishedAt } }) {
    const meanwhile =
      publishedAt === null
        ? 'Nothing is published there yet'
        : `Crawlers still get the version from ${dayOf(new Date(publishedAt), now)}`;
    return {
      title: `“${shownSitemapName(subject)}” was refused ${timesInARow(times)} in a row`,
      detail: `${hostname} · ${meanwhile}`,
      state: `Refused ${timesInARow(times)}`,
    };
  },
  about: ({ subject, facts }) => ({ sitemapName: subject, uploadId: facts.uploadId }),
};
