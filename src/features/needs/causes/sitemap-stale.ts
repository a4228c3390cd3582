/** A sitemap that got no upload within the time in which its owner expects an upload. */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { dayOf, everyHours } from '../../../platform/words.ts';
import type { Cause } from '../cause.ts';

interface Facts {
  readonly hours: number;
  readonly publishedAt: string;
}

export const sitemapStale: Cause<Facts> = {
  kinds: ['sitemapStale'],
  find: `
    SELECT 'sitemapStale' AS kind, s.domain_id, s.name AS subject, s.stale_since AS since, NULL::timestamptz AS deadline, true AS is_bad
      FROM sitemaps s
     WHERE s.stale_account = $1 AND s.stale_since IS NOT NULL AND s.fresh_until <= s.stale_since`,
  facts: `
    SELECT json_build_object('hours', s.expect_every_hours, 'publishedAt', s.updated_at)
      FROM sitemaps s WHERE s.domain_id = n.domain_id AND s.name = n.subject`,
  target: 'sitemap',
  told: {
    topic: 'sitemapStale',
    when: 'true',
    over: `(SELECT s.fresh_until > now() FROM sitemaps s WHERE s.domain_id = i.domain_id AND s.name = i.subject)`,
  },
  word({ hostname, subject, now, facts: { hours, publishedAt } }) {
    return {
      title: `“${shownSitemapName(subject)}” is late`,
      detail: `${hostname} · An upload is expected ${everyHours(hours)}. Crawlers still get the version from ${dayOf(new Date(publishedAt), now)}`,
      state: 'Upload is late',
    };
  },
  about: ({ subject }) => ({ sitemapName: subject, uploadId: null }),
};
