import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { AskingThread } from '../../../src/platform/process/asking-thread.ts';

test('a thread that is stopped while it makes streams of zlib does not end its process', async () => {
  const program = fileURLToPath(new URL('threads/stop-often.ts', import.meta.url));
  const { stderr } = await promisify(execFile)(process.execPath, [program, '20']);
  expect(stderr).toBe('');
});

test('a request that a task makes after its end does not come to the next task', async () => {
  await using thread = new AskingThread<string, string, void>({
    worker: new URL('threads/ask-late.ts', import.meta.url),
    isLarge: () => false,
  });
  const asksOf = async (task: string) => {
    const asks: string[] = [];
    const answer = async (ask: string) => {
      asks.push(ask);
      return undefined;
    };
    await thread.run(task, answer, new AbortController().signal);
    return asks;
  };
  expect(await asksOf('first')).toEqual(['first', 'first ahead']);
  expect(await asksOf('second')).toEqual(['second', 'second ahead']);
});
