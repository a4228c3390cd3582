import { expect } from 'vitest';
import { sweep } from './support/sweep.ts';

/** No sum of them is another one's. */
const REQUESTS = [1, 20, 300];

sweep('the import of counted crawls from three objects', {
  victim: 'jobs',
  async prepare(world) {
    await world.database.query('TRUNCATE crawls, file_visits, file_errors');
    if (!world.history.sitemapNames.includes('')) await world.publish('', 10);
    await world.storeCrawls(REQUESTS);
  },
  run: (world) => world.runJob('crawls.import'),
  // An object that cannot be read waits for the next run.
  again: async (world) => expect(await world.runJob('crawls.import')).toBe(true),
  async check(world) {
    const { rows } = await world.database.query(
      'SELECT status, sum(requests)::integer AS requests FROM crawls GROUP BY status ORDER BY status',
    );
    expect(rows).toEqual([
      { status: 200, requests: 321 },
      { status: 404, requests: 321 },
    ]);
    // All of an object counts, or nothing of it.
    const { rows: files } = await world.database.query(
      `SELECT (SELECT sum(requests) FROM file_visits)::integer AS visits,
              (SELECT sum(requests) FROM file_errors)::integer AS errors`,
    );
    expect(files).toEqual([{ visits: 321, errors: 321 }]);
  },
});
