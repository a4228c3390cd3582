/** Thread entry: applies one group of deltas per task. It asks the main thread for files, and hands over the files that it makes. */
import { applyOperations } from '../src/features/uploads/deltas/apply-operations.ts';
import type { DeltaAsk } from '../src/features/uploads/deltas/messages.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';

serveTasks(applyOperations, (ask: DeltaAsk) => {
  if (ask.kind !== 'file') return [];
  const { content, hashes } = ask.file;
  return hashes === undefined ? [content.buffer] : [content.buffer, hashes.buffer];
});
