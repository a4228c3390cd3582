/** Processes that wait for work and may be killed at it. They are started ahead, because a start takes longer than the work. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compileCache } from '../../support/compile-cache.ts';

export interface WarmProcess<Task> {
  /** Resolves when the process has ended. */
  run(task: Task): Promise<void>;
  kill(): void;
}

/** Beside the one that works. */
const WARM = 2;

/**
 * `program`: a file beside this one that says that it is ready, works on the first message, and ends. The scope ends those
 * that are left.
 */
export function startWarmProcesses<Task extends object>(
  program: string,
  scope: AsyncDisposableStack,
  env: NodeJS.ProcessEnv = {},
): () => Promise<WarmProcess<Task>> {
  const warm: Promise<ChildProcess>[] = [];
  const children = new Set<ChildProcess>();
  scope.defer(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const start = async () => {
    const child = fork(`${import.meta.dirname}/${program}`, {
      env: { ...process.env, VITEST: '', ...compileCache(), ...env },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`${program} ended with ${code ?? signal} before it was ready`);
    });
    await Promise.race([once(child, 'message'), ended]);
    return child;
  };
  return async () => {
    while (warm.length <= WARM) {
      const started = start();
      started.catch(() => {}); // Whoever takes it learns of it.
      warm.push(started);
    }
    const child = await warm.shift()!;
    return {
      async run(task) {
        const ended = once(child, 'exit');
        child.send(task);
        await ended;
      },
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
