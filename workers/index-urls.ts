/** Thread entry: makes an index of URLs per task. It asks the main thread for files and hands it the index. */
import { constants } from 'node:os';
import { type IndexAsk, indexFiles } from '../src/features/find/index-files.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';
import { setThreadPriority } from '../src/platform/process/thread-priority.ts';

// No client waits for an index.
setThreadPriority(constants.priority.PRIORITY_LOW);

serveTasks(indexFiles, (ask: IndexAsk) => ('bytes' in ask ? [ask.bytes.buffer] : []));
