/** The main thread's end of the thread that makes indexes of URLs (workers/index-urls.ts). */
import { AskingThread } from '../../platform/process/asking-thread.ts';
import type { IndexAsk, IndexEnd, IndexTask } from './index-files.ts';

const WORKER = new URL('../../../workers/index-urls.ts', import.meta.url);

export class IndexThread extends AskingThread<IndexTask, IndexAsk, IndexEnd> {
  constructor() {
    // Indexes are seldom made, so the thread ends after each of them, and gives its memory back.
    super({ worker: WORKER, isLarge: () => true });
  }
}
