/** Thread entry: compares two uploads per task. It asks the main thread for their files and hands it the changes. */
import { constants } from 'node:os';
import { workerData } from 'node:worker_threads';
import { compareFiles } from '../src/features/changes/compare-files.ts';
import type { Ask } from '../src/features/changes/thread-messages.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';
import { setThreadPriority } from '../src/platform/process/thread-priority.ts';

// A comparison that no client waits for must not slow uploads down. On a busy machine, such a comparison gets hardly any CPU time.
if (!workerData.isAwaited) setThreadPriority(constants.priority.PRIORITY_LOW);

serveTasks(compareFiles, (ask: Ask) => ('bytes' in ask ? [ask.bytes.buffer] : []));
