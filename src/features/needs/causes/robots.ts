/**
 * Page hosts whose robots.txt keeps crawlers from believing the sitemaps of a served domain, or from reading the pages. Hosts of a domain
 * with the same fault are one need.
 */

import { counted } from '../../../platform/words.ts';
import { IS_SERVED } from '../../domains/served-domain-store.ts';
import { whyUnreachable } from '../../page-hosts/unreachable-message.ts';
import type { Cause } from '../cause.ts';

interface Facts {
  /** The origin of the host with the most URLs in the sitemaps of the domain. */
  readonly origin: string;
  readonly message: string | null;
  readonly isPartly: boolean;
  /** The number of URLs of this host in the sitemaps of the domain. */
  readonly urlCount: number;
  /** The number of hosts with this fault. */
  readonly hosts: number;
}

const KIND = `CASE p.state WHEN 'unreachable' THEN 'robotsUnreadable' WHEN 'disallowed' THEN 'robotsBlocks'
                           ELSE 'robotsLineMissing' END`;

export const robots: Cause<Facts> = {
  kinds: ['robotsUnreadable', 'robotsBlocks', 'robotsLineMissing'],
  find: `
    SELECT ${KIND} AS kind, p.domain_id, '' AS subject, max(p.state_since) AS since, NULL::timestamptz AS deadline, true AS is_bad
      FROM page_hosts p JOIN domains d ON d.id = p.domain_id
     WHERE p.account_id = $1 AND p.state IN ('partly', 'missing', 'disallowed', 'unreachable') AND d.${IS_SERVED}
     GROUP BY 1, 2`,
  facts: `
    SELECT json_build_object('origin', p.origin, 'message', p.message, 'isPartly', p.state = 'partly', 'urlCount', coalesce(sum(c.url_count), 0),
                             'hosts', count(*) OVER ())
      FROM page_hosts p LEFT JOIN page_url_counts c ON c.domain_id = p.domain_id AND c.origin = p.origin
     WHERE p.account_id = $1 AND p.domain_id = n.domain_id AND p.state IN ('partly', 'missing', 'disallowed', 'unreachable')
       AND ${KIND} = n.kind
     GROUP BY p.domain_id, p.origin ORDER BY sum(c.url_count) DESC NULLS LAST, p.origin LIMIT 1`,
  target: 'robots',
  told: {
    topic: 'robots',
    when: `n.kind <> 'robotsLineMissing' AND n.since < now() - interval '10 minutes'`,
    over: `EXISTS (SELECT FROM domains d WHERE d.id = i.domain_id AND d.${IS_SERVED} AND d.wrong_checks = 0)
           AND EXISTS (SELECT FROM page_hosts p WHERE p.domain_id = i.domain_id)
           AND NOT EXISTS (SELECT FROM page_hosts p WHERE p.domain_id = i.domain_id AND p.state IN ('disallowed', 'unreachable'))`,
  },
  word({ kind, facts: { origin, message, isPartly, urlCount, hosts } }) {
    const file = `${new URL(origin).host}/robots.txt`;
    const urls = urlCount === 1 ? 'its URL' : `all ${counted(urlCount)} URLs`;
    const more =
      hosts > 1 ? `. ${hosts - 1} more ${hosts === 2 ? 'host has' : 'hosts have'} the same fault` : '';
    if (kind === 'robotsUnreadable') {
      const why = message === null ? undefined : whyUnreachable(message);
      const detail = `${why === undefined ? '' : `${sentence(why)} `}Until it works, crawlers ignore ${urls}${more}`;
      return { title: `${file} can't be read`, detail, state: "robots.txt can't be read" };
    }
    if (kind === 'robotsBlocks') {
      return {
        title: `${file} blocks crawlers`,
        detail: `Crawlers read the sitemaps, but may not open ${urls}${more}`,
        state: 'robots.txt blocks crawlers',
      };
    }
    return {
      title: isPartly ? `${file} lacks the line of some sitemaps` : `${file} lacks one line`,
      detail: `Until it names ${isPartly ? 'all your sitemaps' : 'your sitemap'}, crawlers ignore ${isPartly ? `some of ${counted(urlCount)} URLs` : urls}${more}`,
      state: 'robots.txt lacks a line',
    };
  },
};

/** Makes a sentence of a reason: “the status is 503” becomes “It returns 503.” */
function sentence(why: string): string {
  const [, status] = /^the status is (\d+)$/.exec(why) ?? [];
  return status === undefined ? `${why[0]!.toUpperCase()}${why.slice(1)}.` : `It returns ${status}.`;
}
