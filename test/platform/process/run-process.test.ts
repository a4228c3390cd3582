import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { once } from '../../support/soon.ts';

const MODULE = new URL('../../../src/platform/process/run-process.ts', import.meta.url);

/** Prints until it hears of an error, or has printed often. */
const PROGRAM = `
  const { runProcess } = await import('${MODULE}');
  await runProcess(async (scope, stop) => {
    for (let n = 0; n < 100; n++) {
      process.stdout.write('a line for people\\n');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    stop();
  });`;

test('a process goes on when the reader of its standard output leaves, as head does', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
