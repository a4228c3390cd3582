/** Says in words what an entry has beside its URL. */
import type { SitemapUrl } from '../../../src/edges/dashboard/wire.ts';
import { counted } from '../../parts/format.ts';

/** Says the details as in `daily, priority 0.8, 3 images`. Empty if the entry has none. */
export function detailsOf({ changefreq, priority, images, alternates }: SitemapUrl): string {
  const details = [
    changefreq,
    priority !== null && `priority ${priority}`,
    images > 0 && counted(images, 'image'),
    alternates > 0 && counted(alternates, 'language'),
  ];
  return details.filter(Boolean).join(', ');
}
