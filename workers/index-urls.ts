/** Thread entry: makes an index of URLs per task. It asks the main thread for files and hands it the index. */
import { constants, platform, setPriority } from 'node:os';
import { type IndexAsk, indexFiles } from '../src/features/find/index-files.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';

// On Linux, `setPriority` sets the priority of this thread only. No client waits for an index.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_LOW);

serveTasks(indexFiles, (ask: IndexAsk) => ('bytes' in ask ? [ask.bytes.buffer] : []));
