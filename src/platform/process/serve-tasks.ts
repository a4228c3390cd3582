/** Runs tasks in a thread: the thread's side of `asking-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import type { AnswerAsk, FromThread, ToThread } from './asking-thread.ts';

/**
 * Runs the tasks of the main thread. An error of `run` ends the thread. `transferOf` returns the memory of a request that moves to the main
 * thread with the request.
 */
export function serveTasks<Task, Ask, End>(
  run: (task: Task, ask: AnswerAsk<Ask>) => Promise<End>,
  transferOf: (ask: Ask) => readonly ArrayBuffer[],
): void {
  const main = parentPort!;
  const asked = new Map<number, (bytes: Uint8Array | undefined) => void>();
  let asks = 0;
  const say = (message: FromThread<Ask, End>, transfer: readonly ArrayBuffer[] = []) =>
    main.postMessage(message, [...transfer]);
  const ask: AnswerAsk<Ask> = (what) =>
    new Promise((resolve) => {
      const id = ++asks;
      asked.set(id, resolve);
      say({ kind: 'ask', id, ask: what }, transferOf(what));
    });
  main.on('message', async (message: ToThread<Task>) => {
    // In a thread, `process.exit` ends only the thread.
    if (message.kind === 'stop') process.exit();
    if (message.kind === 'task') {
      let hasEnded = false;
      // A task may end while it still reads ahead. A request of such a read must not count as one of the next task, whose files have other
      // numbers. No code waits for the answer.
      const askOfTask: AnswerAsk<Ask> = (what) => (hasEnded ? new Promise(() => {}) : ask(what));
      // An error ends the thread, and the main thread gets its `error` event.
      const end = await run(message.task, askOfTask);
      hasEnded = true;
      say({ kind: 'end', end });
      return;
    }
    asked.get(message.id)?.(message.bytes);
    asked.delete(message.id);
  });
  say({ kind: 'ready' });
}
