/** The facts about the live generation of a sitemap. */
import type { Generation } from '../../../client/src/answers.ts';
import { bytes, count, counted } from '../../parts/format.ts';
import { Stats } from '../../parts/stats.tsx';
import { Time } from '../../parts/time.tsx';

export function SitemapFacts({ live }: { readonly live: Generation }) {
  return (
    <Stats
      facts={[
        { name: 'URLs', value: count(live.urlCount), below: `in ${counted(live.filesGenerated, 'file')}` },
        { name: 'Size', value: bytes(live.gzipBytes), below: 'compressed' },
        {
          name: 'Live version',
          value: count(live.generation),
          below: (
            <>
              published <Time at={live.publishedAt} />
            </>
          ),
        },
      ]}
    />
  );
}
