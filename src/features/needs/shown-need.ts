/** A need as answers show it: with its times as texts, and a name for the unnamed sitemap. */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { Need } from './need.ts';

export interface ShownNeed extends Omit<Need, 'since' | 'deadline'> {
  readonly since: string | null;
  readonly deadline: string | null;
}

export function showNeed({ sitemapName, since, deadline, ...need }: Need): ShownNeed {
  return {
    ...need,
    sitemapName: sitemapName === null ? null : shownSitemapName(sitemapName),
    since: since && isoSeconds(since),
    deadline: deadline && isoSeconds(deadline),
  };
}
