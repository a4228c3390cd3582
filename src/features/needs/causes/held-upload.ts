/**
 * The newest upload of a sitemap that the guard of the domain holds. The need ends when that upload is published or discarded, or when a
 * newer upload of the sitemap is published. Deltas and rollbacks after that upload do not end the need. If the attempt of one of the two
 * uploads is no longer kept, the times of the uploads say which one is newer.
 */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { counted } from '../../../platform/words.ts';
import { UPLOADS_PREFIX } from '../../sites/site.ts';
import { HOLD_MARGIN } from '../../uploads/held-upload-store.ts';
import type { Cause } from '../cause.ts';

interface Facts {
  readonly sitemapName: string;
  /** The number of URLs of the held upload. Null: its attempt is not recorded any more. */
  readonly urlCount: number | null;
  /** The number of URLs of the live upload. Null: there is no live upload. */
  readonly formerUrlCount: number | null;
  readonly by: string | null;
}

export const heldUpload: Cause<Facts> = {
  kinds: ['heldUpload'],
  find: `
    SELECT DISTINCT ON (h.domain_id, h.sitemap_name)
           'heldUpload' AS kind, h.domain_id, h.id AS subject, h.held_at AS since,
           g.collect_after - ${HOLD_MARGIN} AS deadline, false AS is_bad
      FROM held_uploads h JOIN garbage g ON g.prefix = '${UPLOADS_PREFIX}' || h.id || '/'
     WHERE h.account_id = $1 AND h.published IS NULL AND g.collect_after > now() + ${HOLD_MARGIN}
       AND NOT EXISTS (SELECT FROM uploads u LEFT JOIN attempts newer ON newer.id = u.id LEFT JOIN attempts held ON held.id = h.id
                        WHERE u.domain_id = h.domain_id AND u.sitemap_name = h.sitemap_name AND u.kind = 'upload'
                          AND coalesce(newer.position > held.position, u.published_at > h.held_at))
     ORDER BY h.domain_id, h.sitemap_name, h.held_at DESC`,
  facts: `
    SELECT json_build_object('sitemapName', h.sitemap_name, 'urlCount', a.url_count, 'formerUrlCount', u.url_count,
                             'by', coalesce(k.name, p.name))
      FROM held_uploads h LEFT JOIN attempts a ON a.id = h.id
           LEFT JOIN sitemaps s ON s.domain_id = h.domain_id AND s.name = h.sitemap_name
           LEFT JOIN uploads u ON u.id = s.upload_id
           LEFT JOIN api_keys k ON k.id = a.key_id LEFT JOIN users p ON p.id = a.user_id
     WHERE h.id = n.subject`,
  target: 'upload',
  // Held uploads of one sitemap are one incident: a producer whose upload is held each hour needs one decision.
  told: {
    topic: 'heldUpload',
    when: 'true',
    subject: `(SELECT h.sitemap_name FROM held_uploads h WHERE h.id = n.subject)`,
  },
  word({ hostname, facts: { sitemapName, urlCount, formerUrlCount, by } }) {
    const name = `“${shownSitemapName(sitemapName)}”`;
    const removed = (formerUrlCount ?? 0) - (urlCount ?? 0);
    return {
      title:
        urlCount === null || removed <= 0
          ? `${name} would lose many of its URLs`
          : `${name} would lose ${counted(removed)} of its ${counted(formerUrlCount ?? 0)} URLs`,
      detail: `${hostname} · Upload${by === null ? '' : ` by ${by}`}, held until you decide`,
      state: 'Upload held',
    };
  },
  about: ({ subject, facts }) => ({ sitemapName: facts.sitemapName, uploadId: subject }),
};
