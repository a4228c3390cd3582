import { sweep } from './support/sweep.ts';

sweep('an upload of two files that replaces one of three', {
  victim: 'api',
  async prepare(world) {
    const [state, ...others] = world.history.possible('');
    if (others.length === 0 && typeof state === 'object' && state.urlCount === 2500) return;
    if (!world.history.sitemapNames.includes('other')) await world.publish('other', 10);
    await world.publish('', 2500);
  },
  run: (world) => world.upload('', 1700),
});
