import { sweep } from './support/sweep.ts';

sweep('the collection of a replaced upload, former indexes and what a cut upload left', {
  victim: 'jobs',
  async prepare(world) {
    await world.publish('', 2500);
    await world.publish('', 1700);
    await world.abandonUpload(3);
  },
  run: (world) => world.runJob('garbage.collect'),
});
