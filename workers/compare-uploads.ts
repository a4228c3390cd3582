/** Thread entry: compares two uploads per task. It asks the main thread for their files and hands it the changes. */
import { constants, platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareFiles } from '../src/features/changes/compare-files.ts';
import type { AnswerAsk, FromThread, ToThread } from '../src/features/changes/thread-messages.ts';

// On Linux this sets the priority of this thread only. No client waits for a comparison, so it must not slow uploads down.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_LOW);

const main = parentPort!;
const asked = new Map<number, (bytes: Uint8Array | undefined) => void>();
let asks = 0;

const say = (message: FromThread, transfer: readonly ArrayBuffer[] = []) =>
  main.postMessage(message, [...transfer]);

const ask: AnswerAsk = (what) =>
  new Promise((resolve) => {
    const id = ++asks;
    asked.set(id, resolve);
    say({ kind: 'ask', id, ask: what }, what.kind === 'part' ? [what.bytes.buffer] : []);
  });

main.on('message', async (message: ToThread) => {
  if (message.kind === 'task') {
    // An error ends the thread, and the main thread gets its `error` event.
    say({ kind: 'end', end: await compareFiles(message.task, ask) });
    return;
  }
  asked.get(message.id)?.(message.bytes);
  asked.delete(message.id);
});
