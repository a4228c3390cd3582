import type { SentUpload } from './support/history.ts';
import { sweep } from './support/sweep.ts';
import type { World } from './support/world.ts';

let former: SentUpload;

/** Generations of the sitemap that brought the former one back. */
async function rollbacks(world: World): Promise<number> {
  const { rowCount } = await world.database.query("SELECT FROM uploads WHERE kind = 'rollback'");
  return rowCount ?? 0;
}

sweep('a rollback from one file to an upload of two files', {
  victim: 'api',
  async prepare(world) {
    if (!world.history.sitemapNames.includes('other')) await world.publish('other', 10);
    await world.publish('', 1700);
    former = world.history.liveUpload('');
    await world.publish('', 900);
  },
  async run(world) {
    const before = await rollbacks(world);
    const isAcknowledged = await world.rollBack(former);
    const happened = (await rollbacks(world)) - before;
    if (happened > 1) throw new Error(`the rollback happened ${happened} times`);
    if (isAcknowledged && happened === 0) throw new Error('an acknowledged rollback did not happen');
    return isAcknowledged;
  },
});
