/** What an entry has beside its URL, in words. */
import type { SitemapUrl } from '../../../src/edges/dashboard/wire.ts';
import { counted } from '../../parts/format.ts';

/** As in `daily, priority 0.8, 3 images`. Empty if there is nothing. */
export function detailsOf({ changefreq, priority, images, alternates }: SitemapUrl): string {
  const details = [
    changefreq,
    priority !== null && `priority ${priority}`,
    images > 0 && counted(images, 'image'),
    alternates > 0 && counted(alternates, 'language'),
  ];
  return details.filter(Boolean).join(', ');
}
