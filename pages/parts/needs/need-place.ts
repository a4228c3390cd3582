/** The page where a need is mended, and the words of the link to it. */
import type { Need } from '../../../client/src/answers.ts';

export interface NeedPlace {
  readonly href: string;
  readonly word: string;
}

export function needPlace({ kind, domain, sitemapName, target }: Need): NeedPlace {
  if (target === 'plan' || domain === null) return { href: '/dashboard/settings/plan', word: 'See plan' };
  const page = `/dashboard/domains/${domain.id}`;
  if (kind === 'heldUpload') return { href: page, word: 'Review' };
  if (kind === 'uploadsRefused' || kind === 'scheduleFailing')
    return { href: `${page}/uploads`, word: 'See why' };
  if (target === 'sitemap' && sitemapName !== null) {
    return { href: `${page}/sitemaps/${encodeURIComponent(sitemapName)}`, word: 'See sitemap' };
  }
  return { href: page, word: 'Fix' };
}
