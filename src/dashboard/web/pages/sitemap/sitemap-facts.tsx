/** What is live of a sitemap. */
import type { Generation } from '../../../../../client/src/answers.ts';
import { bytes, count, counted, roundCount } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

export function SitemapFacts({ live }: { readonly live: Generation }) {
  return (
    <div class="tiles">
      <Tile name="URLs" value={roundCount(live.urlCount)} below={counted(live.urlCount, 'URL')} />
      <Tile name="Files" value={count(live.filesGenerated)} below={`${bytes(live.gzipBytes)} compressed`} />
      <dl class="tile">
        <dt>Live generation</dt>
        <dd>{count(live.generation)}</dd>
        <dd>
          published <Time at={live.publishedAt} />
        </dd>
      </dl>
    </div>
  );
}

function Tile({
  name,
  value,
  below,
}: {
  readonly name: string;
  readonly value: string;
  readonly below: string;
}) {
  return (
    <dl class="tile">
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd>{below}</dd>
    </dl>
  );
}
