import { expect } from 'vitest';
import { sweep } from './support/sweep.ts';

// All URLs of an upload differ from those of the others.
sweep('the comparison of an upload of two files with one of three', {
  victim: 'jobs',
  async prepare(world) {
    await world.publish('', 2500);
    // Nothing breaks yet. Without its comparison, the next upload would be compared with the one before.
    await world.compareAll();
  },
  async run(world) {
    await world.publish('', 1700);
    return world.comparisonsEnd();
  },
  async check(world) {
    const { rows } = await world.database.query(
      'SELECT state, added, changed, removed, parts FROM comparisons c JOIN sitemaps s ON s.upload_id = c.upload_id',
    );
    expect(rows).toEqual([{ state: 'compared', added: 1700, changed: 0, removed: 2500, parts: 1 }]);
  },
});
