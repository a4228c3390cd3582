import { sweep } from './support/sweep.ts';

sweep('the sweep that writes a site after a change whose process failed to', {
  victim: 'jobs',
  async prepare(world) {
    await world.publish('', 2500);
    // After the commit, the connection breaks that would have written the site.
    world.api.postgres.rule = {
      at: 'request',
      n: 1,
      matching: ({ sql }) => sql?.includes("hashtextextended('site '") === true,
      action: 'cut',
    };
    if (await world.upload('', 1700)) throw new Error('the upload was to fail');
  },
  run: (world) => world.sitesAreWritten(),
});
