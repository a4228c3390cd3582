/** The main thread's end of the thread that compares uploads (workers/compare-uploads.ts). */
import { AskingThread } from '../../platform/process/asking-thread.ts';
import type { Ask, CompareEnd, CompareTask } from './thread-messages.ts';

const WORKER = new URL('../../../workers/compare-uploads.ts', import.meta.url);
/** The thread ends after a task with more URLs. Its end frees the memory of the hash table, some 10 MB. */
const LARGE_URLS = 500_000;

interface ComparisonThreadOptions {
  /** Whether clients wait for the comparisons. If no client waits, the thread gives way to all other work. */
  readonly isAwaited?: boolean;
  /** The module of the thread, and the most time without a message from the thread. Only tests set them. */
  readonly worker?: URL;
  readonly silenceMs?: number;
}

export class ComparisonThread extends AskingThread<CompareTask, Ask, CompareEnd> {
  constructor({ isAwaited = false, worker = WORKER, ...limits }: ComparisonThreadOptions = {}) {
    super({ worker, workerData: { isAwaited }, isLarge: ({ room }) => room > LARGE_URLS, ...limits });
  }
}
