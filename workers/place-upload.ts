/** Thread entry: places one upload per task. It asks the main thread for files, and hands over the files that it makes. */
import type { PlaceAsk } from '../src/features/uploads/placement/messages.ts';
import { placeFiles } from '../src/features/uploads/placement/place-files.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';

serveTasks(placeFiles, (ask: PlaceAsk) => {
  if (ask.kind !== 'file') return [];
  const { content, hashes } = ask.file;
  return hashes === undefined ? [content.buffer] : [content.buffer, hashes.buffer];
});
