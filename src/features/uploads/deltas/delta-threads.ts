/**
 * The threads that apply deltas. Deltas of one sitemap always go to the same thread, because it has the prints of the files in its cache.
 */
import { crc32 } from 'node:zlib';
import { Turns } from '../../../platform/concurrency/turns.ts';
import { type AnswerAsk, AskingThread } from '../../../platform/process/asking-thread.ts';
import type { DeltaAsk, DeltaEnd, DeltaTask } from './messages.ts';

const WORKER = new URL('../../../../workers/apply-deltas.ts', import.meta.url);
/** A large delta takes seconds. With two threads, it does not hold up the deltas of all other sitemaps. */
const THREADS = 2;
/** An idle thread ends after this time. Until then, the thread keeps its cache. */
const IDLE_MS = 10 * 60_000;

export class DeltaThreads implements AsyncDisposable {
  readonly #threads = Array.from({ length: THREADS }, () => ({
    thread: new AskingThread<DeltaTask, DeltaAsk, DeltaEnd>({
      worker: WORKER,
      isLarge: () => false,
      idleMs: IDLE_MS,
    }),
    turns: new Turns(1),
  }));

  /** Runs a task when the thread of `place`, the key of a sitemap, is free. Accounts take turns. */
  run(accountId: string, place: string, task: DeltaTask, answer: AnswerAsk<DeltaAsk>): Promise<DeltaEnd> {
    const { thread, turns } = this.#threads[crc32(place) % THREADS]!;
    return turns.run(accountId, () => thread.run(task, answer, new AbortController().signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread[Symbol.asyncDispose]()));
  }
}
