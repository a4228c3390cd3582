/**
 * Preloaded into a process (NODE_OPTIONS). An entry whose text names a fault causes that fault in the thread that
 * parses it.
 */
import { isMainThread } from 'node:worker_threads';

export const FAULTS = ['thread-dies', 'thread-takes-all-memory', 'thread-loops'] as const;

const parse = JSON.parse;

if (!isMainThread) {
  JSON.parse = (text: string, reviver) => {
    const fault = FAULTS.find((name) => text.includes(name));
    if (fault === 'thread-dies') process.exit(1);
    // Kept, so that they fill the heap of the thread.
    const kept: unknown[] = [];
    while (fault === 'thread-takes-all-memory') kept.push(Array.from({ length: 100_000 }, () => ({})));
    while (fault === 'thread-loops');
    return parse(text, reviver);
  };
}
