/** A load of four objects of a bucket, two of whose tails are packed, from its request to its end (docs/decisions/0068, 0074). */
import { expect, vi } from 'vitest';
import { type AskedLoad, LOADED_URLS } from './support/asked-load.ts';
import { sweep } from './support/sweep.ts';

const SOON = { timeout: 60_000, interval: 100 };
let load: AskedLoad;

sweep('a load of four objects', {
  victim: 'api',
  goesOn: true,
  async prepare(world) {
    load = await world.openLoad('');
  },
  run: async () => (await load.send())?.outcome === 'published',
  async again(world) {
    // A dead process left its leases, and one that failed waits before the next try.
    await world.endLeases();
    const goOn = async () => (await load.send()) ?? Promise.reject(new Error('it has not ended'));
    const first = await vi.waitFor(goOn, SOON);
    expect(['published', 'unchanged']).toContain(first.outcome);
    // The list of the objects was stored with the upload, however it was published.
    world.bucket.requests.length = 0;
    expect(await vi.waitFor(goOn, SOON)).toMatchObject({ outcome: 'unchanged' });
    expect(world.bucket.requests.filter((request) => request.startsWith('GET'))).toEqual([]);
    expect(first.outcome === 'unchanged' || first.urlCount === LOADED_URLS).toBe(true);
    const { rows } = await world.database.query(
      `SELECT (SELECT count(*)::int FROM loads WHERE ended_at IS NULL) AS running,
              (SELECT count(*)::int FROM loads WHERE asked::text <> '{}') AS asked,
              (SELECT count(*)::int FROM upload_sessions WHERE status NOT IN ('committed', 'aborted')) AS open,
              (SELECT count(*)::int FROM attempts WHERE outcome NOT IN ('published', 'unchanged')) AS failed`,
    );
    expect(rows).toEqual([{ running: 0, asked: 0, open: 0, failed: 0 }]);
  },
});
