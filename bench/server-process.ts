/** A server in a separate process: starts it, waits until it accepts connections, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const START_TIMEOUT_MS = 20_000;
/** Waypost takes at most 2 s to end. */
const END_TIMEOUT_MS = 5_000;

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
  const [file, ...parameters] = command;
  const child = spawn(file!, parameters, {
    cwd: PROJECT,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await waitUntilListening(child, port);
    return { port, pid: child.pid!, [Symbol.asyncDispose]: () => end(child) };
  } catch (error) {
    await end(child);
    throw new Error(`${command.join(' ')} did not start`, { cause: error });
  }
}

async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`exit code ${code}`)));
  // It may fail long after the start, when nothing awaits this promise any more.
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

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await exited;
  clearTimeout(patience);
}
