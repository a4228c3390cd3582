/** Runs the command that makes the input. Its exit code decides whether the input is whole. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { badInput } from '../waypost-error.ts';

/** With this option, a pipeline fails if any of its commands fails. bash has it, but not every other shell. */
const PIPEFAIL = '(set -o pipefail) 2>/dev/null && set -o pipefail\n';

/** Throws BAD_INPUT if the command fails. If the reader stops, the command is ended. */
export async function* runProducer(command: string): AsyncGenerator<Uint8Array> {
  const producer = await start(command);
  const ended = once(producer, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  ended.catch(() => {}); // `start` has reported the error of a missing shell.
  try {
    yield* producer.stdout!;
    const [code, signal] = await ended;
    if (code !== 0) {
      const end = signal === null ? `with exit code ${code}` : `by ${signal}`;
      throw badInput(`The command of --from ended ${end}, so its output is not whole.`);
    }
  } finally {
    producer.kill();
    producer.stdout!.destroy();
  }
}

async function start(command: string): Promise<ChildProcess> {
  try {
    return await startIn('bash', command);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return startIn('sh', command);
  }
}

async function startIn(shell: string, command: string): Promise<ChildProcess> {
  const child = spawn(shell, ['-c', PIPEFAIL + command], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  return child;
}
