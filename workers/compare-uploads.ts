/** Thread entry: compares two uploads per task. It asks the main thread for their files and hands it the changes. */
import { constants, platform, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { compareFiles } from '../src/features/changes/compare-files.ts';
import type { Ask } from '../src/features/changes/thread-messages.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';

// On Linux, `setPriority` sets the priority of this thread only. A comparison that no client waits for must not slow uploads down. On a
// busy machine, such a comparison gets hardly any CPU time.
if (platform() === 'linux' && !workerData.isAwaited) setPriority(constants.priority.PRIORITY_LOW);

serveTasks(compareFiles, (ask: Ask) => ('bytes' in ask ? [ask.bytes.buffer] : []));
