/** A delta that changes two of three files, and leaves the third as it is (docs/decisions/0058). */
import { expect } from 'vitest';
import { sweep } from './support/sweep.ts';

sweep('a delta that changes two of three files', {
  victim: 'api',
  async prepare(world) {
    const [state, ...others] = world.history.possible('');
    // After some deltas, a new list.
    const isReady = others.length === 0 && typeof state === 'object' && state.urlCount > 2400;
    if (!isReady) await world.publish('', 2500);
  },
  async run(world) {
    const answer = await world.change('');
    if (answer === undefined) return false;
    const { data } = JSON.parse(String(answer.body));
    expect(data).toMatchObject({ removed: 1, missing: 0, added: 0, filesGenerated: 3 });
    expect(data.filesChanged).toBe(2);
    return true;
  },
});
