import { sweep } from './support/sweep.ts';

/** Two of them go to one sitemap. The first one is alone under way while the others become a group. */
const TOGETHER = ['', 'news', 'news', 'other', 'more'].map((sitemapName, i) => ({
  sitemapName,
  urlCount: 60 + i,
}));

sweep('five small uploads at once, of which a group replaces three sitemaps', {
  victim: 'api',
  async prepare(world) {
    for (const [i, sitemapName] of ['', 'news', 'other'].entries()) {
      if (!world.history.sitemapNames.includes(sitemapName)) await world.publish(sitemapName, 50 + i);
    }
  },
  run: (world) => world.uploadTogether(TOGETHER),
});
