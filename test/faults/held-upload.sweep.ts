import { sweep } from './support/sweep.ts';
import type { HeldUpload, World } from './support/world.ts';

let held: HeldUpload | undefined;

/** A live sitemap that is large enough to be guarded. */
async function publishLarge(world: World): Promise<void> {
  const [state, ...others] = world.history.possible('');
  if (others.length === 0 && typeof state === 'object' && state.urlCount === 2500) return;
  await world.publish('', 2500);
}

/** Publishes the held upload, twice. If an answer says that it is held, both must work. */
async function publishHeld(world: World): Promise<void> {
  for (const _ of held === undefined ? [] : [1, 2]) {
    if (!(await world.publishHeld(held!))) throw new Error('a held upload cannot be published');
  }
}

sweep('an upload of two files that is held', {
  victim: 'api',
  prepare: publishLarge,
  async run(world) {
    held = await world.hold('', 1100);
    return held !== undefined;
  },
  again: publishHeld,
});

sweep('publishing a held upload of two files', {
  victim: 'api',
  async prepare(world) {
    await publishLarge(world);
    held = await world.hold('', 1100);
    if (held === undefined) throw new Error('an upload failed though nothing was broken');
  },
  run: (world) => world.publishHeld(held!),
  again: publishHeld,
});
