/** Answers deltas as a sitemap does whose URLs are all new, and that has as many as were sent. */
import type { FakeWaypost, Script } from './fake-waypost.ts';

export const DELTA = 'POST /api/sitemap/delta';

/** Each portion is a generation. `before`: a script for the request with this number, from 1, in its place. */
export function playDeltas(waypost: FakeWaypost, before: Readonly<Record<number, Script>> = {}): void {
  let turn = 0;
  let [generation, urlCount] = [7, 10];
  waypost.play(async (seen, request) => {
    turn++;
    if (before[turn]) return before[turn]!(seen, request);
    await request.whole();
    const lines = seen.body.toString().split('\n').filter(Boolean);
    const added = lines.filter((line) => line.startsWith('{"upsert"')).length;
    const removed = lines.length - added;
    const isDry = seen.query.dryRun === 'true';
    generation++;
    urlCount += added - removed;
    const data = {
      domain: seen.query.domain,
      deltaId: `delta_${turn}`,
      ...(isDry ? { dryRun: true } : { generation }),
      ...{ added, removed, changed: 0, unchanged: 0, missing: 0 },
      urlCount: isDry ? 10 + added - removed : urlCount,
      filesGenerated: 3,
      filesChanged: 2,
      sitemapUrl: 'https://maps.example.com/sitemap.xml',
      served: true,
    };
    return { data };
  });
}
