/** A process that stops busy threads, as clients do who vanish. */
import { setTimeout } from 'node:timers/promises';
import { AskingThread } from '../../../../src/platform/process/asking-thread.ts';

for (let round = 0; round < Number(process.argv[2]); round++) {
  const stop = new AbortController();
  await using thread = new AskingThread<null, never, void>({
    worker: new URL('inflate-all-day.ts', import.meta.url),
    isLarge: () => false,
  });
  const running = thread.run(null, async () => undefined, stop.signal);
  await setTimeout(round === 0 ? 500 : 100);
  stop.abort(new Error('vanished'));
  const how = await running.then(
    () => 'ended',
    (error: Error) => error.message,
  );
  if (how !== 'vanished') throw new Error(how);
}
