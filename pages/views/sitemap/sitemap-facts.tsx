/** What is live of a sitemap. */
import type { Generation } from '../../../client/src/answers.ts';
import { bytes, count, counted, roundCount } from '../../parts/format.ts';
import { Tile } from '../../parts/tile.tsx';
import { Time } from '../../parts/time.tsx';

export function SitemapFacts({ live }: { readonly live: Generation }) {
  return (
    <div class="tiles">
      <Tile name="URLs" value={roundCount(live.urlCount)} below={counted(live.urlCount, 'URL')} />
      <Tile name="Files" value={count(live.filesGenerated)} below={`${bytes(live.gzipBytes)} compressed`} />
      <Tile
        name="Live generation"
        value={count(live.generation)}
        below={
          <>
            published <Time at={live.publishedAt} />
          </>
        }
      />
    </div>
  );
}
