/** An upload that is placed: one of three files changes, and the others are those of the upload before (docs/decisions/0055). */
import { expect } from 'vitest';
import { sweep } from './support/sweep.ts';

sweep('an upload that changes one of three files', {
  victim: 'api',
  async prepare(world) {
    const [state, ...others] = world.history.possible('');
    if (others.length === 0 && typeof state === 'object' && state.urlCount === 2500) return;
    await world.publish('', 2500);
  },
  async run(world) {
    const answer = await world.shrink('');
    if (answer === undefined) return false;
    const { placement, filesChanged } = JSON.parse(String(answer.body)).data;
    // If a former file cannot be read, the upload goes in order, which changes the same file.
    expect(['stable', 'order']).toContain(placement);
    expect(filesChanged).toBe(1);
    return true;
  },
});
