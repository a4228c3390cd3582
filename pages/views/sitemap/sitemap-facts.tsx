/** What is live of a sitemap. */
import type { Generation } from '../../../client/src/answers.ts';
import { bytes, count, counted, roundCount } from '../../parts/format.ts';
import { Stats } from '../../parts/stats.tsx';
import { Time } from '../../parts/time.tsx';

export function SitemapFacts({ live }: { readonly live: Generation }) {
  return (
    <Stats
      facts={[
        { name: 'URLs', value: roundCount(live.urlCount), below: counted(live.urlCount, 'URL') },
        { name: 'Files', value: count(live.filesGenerated), below: `${bytes(live.gzipBytes)} compressed` },
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
