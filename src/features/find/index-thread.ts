/** The main thread's end of the thread that makes indexes of URLs (workers/index-urls.ts). */
import { AskingThread } from '../../platform/process/asking-thread.ts';
import type { IndexAsk, IndexEnd, IndexTask } from './index-files.ts';

const WORKER = new URL('../../../workers/index-urls.ts', import.meta.url);

export class IndexThread extends AskingThread<IndexTask, IndexAsk, IndexEnd> {
  constructor() {
    super({ worker: WORKER, isLarge: () => false });
  }
}
