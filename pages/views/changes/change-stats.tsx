/** The numbers of URLs that were added, changed and removed, or are the same. */
import type { Generation, SitemapChanges } from '../../../client/src/answers.ts';
import { count } from '../../parts/format.ts';
import { Stats } from '../../parts/stats.tsx';
import type { Pair } from '../sitemap/sitemap-queries.ts';

export interface ChangeStatsProps {
  readonly changes: SitemapChanges;
  readonly rows: readonly Generation[];
  readonly pair: Pair;
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });

export function ChangeStats({ changes, rows, pair }: ChangeStatsProps) {
  const { added, changed, removed } = countsOf(changes);
  const [from, to] = [pair.from, pair.to].map((n) => rows.find(({ generation }) => generation === n));
  return (
    <Stats
      facts={[
        { name: 'Added', value: added === 0 ? '0' : `+${count(added)}`, below: 'new URLs' },
        { name: 'Changed', value: count(changed), below: mostlyOf(changes) },
        {
          name: 'Removed',
          value: removed === 0 ? '0' : `−${count(removed)}`,
          below:
            from && from.urlCount > 0 && removed > 0
              ? `${percent.format(removed / from.urlCount)} of all`
              : 'URLs gone',
        },
        {
          name: 'Same',
          value: to ? count(Math.max(0, to.urlCount - added - changed)) : '–',
          below: 'URLs as they were',
        },
      ]}
    />
  );
}

export const countsOf = ({ added, changed, removed }: SitemapChanges) => ({
  added: added ?? 0,
  changed: changed ?? 0,
  removed: removed ?? 0,
});

const NAMES = {
  lastmod: 'the date',
  changefreq: 'how often they change',
  priority: 'the priority',
  images: 'images',
  alternates: 'languages',
  videos: 'videos',
  news: 'news',
} as const;

/** Names the field that differs in the largest number of the changed entries that are known. */
function mostlyOf({ details = [] }: SitemapChanges): string {
  const found = Object.entries(NAMES).map(([field, name]) => ({
    name,
    entries: details.filter(({ from, to }) => field in from || field in to).length,
  }));
  const most = found.reduce((best, one) => (one.entries > best.entries ? one : best));
  if (most.entries === 0) return 'entries with other details';
  return most.entries === details.length ? most.name : `mostly ${most.name}`;
}
