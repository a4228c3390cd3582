/** A thread that fails as its task says. See compare-sitemap.test.ts. */
import { parentPort } from 'node:worker_threads';
import type { CompareTask } from '../../../src/features/changes/thread-messages.ts';
import type { ToThread } from '../../../src/platform/process/asking-thread.ts';

parentPort!.on('message', (message: ToThread<CompareTask>) => {
  const deed = message.kind === 'task' ? message.task.maxSlots : 0;
  if (deed === 1) process.exit(3);
  if (deed === 2) throw new Error('a fault');
  for (;;);
});
