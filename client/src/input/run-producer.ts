/** Runs the command that makes the input. Its exit code decides whether the input is whole. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { badInput } from '../waypost-error.ts';

/** With bash, any command of a pipeline may fail it. Not every other shell can do that. */
const PIPEFAIL = '(set -o pipefail) 2>/dev/null && set -o pipefail\n';

/** Throws BAD_INPUT if the command fails. It is ended if the reader stops. */
export async function* runProducer(command: string): AsyncGenerator<Uint8Array> {
  const producer = await start(command);
  const ended = once(producer, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  ended.catch(() => {}); // `start` has seen the error of a shell that is missing.
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
