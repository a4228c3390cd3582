import { sweep } from './support/sweep.ts';

sweep('the deletion of a sitemap of two files', {
  victim: 'api',
  async prepare(world) {
    if (!world.history.sitemapNames.includes('')) await world.publish('', 10);
    const states = world.history.possible('doomed');
    if (states.length !== 1 || typeof states[0] !== 'object') await world.publish('doomed', 1700);
  },
  run: (world) => world.deleteSitemap('doomed'),
});
