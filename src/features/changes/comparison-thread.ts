/** The thread that compares uploads (workers/compare-uploads.ts), as the main thread sees it. */
import { AskingThread } from '../../platform/process/asking-thread.ts';
import type { Ask, CompareEnd, CompareTask } from './thread-messages.ts';

const WORKER = new URL('../../../workers/compare-uploads.ts', import.meta.url);
/** After a task with more URLs, the thread ends, which frees the memory of their table, some 10 MB. */
const LARGE_URLS = 500_000;

export interface ComparisonThreadOptions {
  /** Whether clients wait for the comparisons. If not, the thread gives way to all other work. */
  readonly isAwaited?: boolean;
  /** The thread's module and the limit of its silence, for tests. */
  readonly worker?: URL;
  readonly silenceMs?: number;
}

export class ComparisonThread extends AskingThread<CompareTask, Ask, CompareEnd> {
  constructor({ isAwaited = false, worker = WORKER, ...limits }: ComparisonThreadOptions = {}) {
    super({ worker, workerData: { isAwaited }, isLarge: ({ room }) => room > LARGE_URLS, ...limits });
  }
}
