/** Runs a server in a separate process: starts it, waits until it accepts connections, and ends it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Process, startCommand } from '../tools/start-command.ts';

const START_TIMEOUT_MS = 120_000;

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

/** Adds `settings` to the environment. Resolves when the server accepts connections on `port`. */
export async function startServer(
  command: readonly string[],
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const environment = { ...process.env, ...settings };
  const started = startCommand(command, { environment, showsErrors: true });
  try {
    await waitUntilListening(started, port);
    return { port, pid: started.pid, [Symbol.asyncDispose]: started[Symbol.asyncDispose] };
  } catch (error) {
    await started.stop();
    throw new Error(`${command.join(' ')} did not start`, { cause: error });
  }
}

async function waitUntilListening({ exited }: Process, port: number): Promise<void> {
  const failed = exited.then(({ code }) => Promise.reject(new Error(`exit code ${code}`)));
  // The server may fail long after the start, when this promise is no longer awaited.
  failed.catch(() => {});
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await Promise.race([failed, isListening(port)]))) {
    if (Date.now() > deadline) throw new Error(`nothing listens after ${START_TIMEOUT_MS} ms`);
    await delay(20);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
