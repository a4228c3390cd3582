/** Processes as an operator starts them: with an environment, and ended by a signal to their own pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { compileCache } from '../../support/compile-cache.ts';
import { SOON, settled } from '../../support/soon.ts';
import { send } from './send.ts';

const PROJECT = resolve(import.meta.dirname, '../../..');

export type Environment = Readonly<Record<string, string>>;

/** A busy machine is slow, not down. Tests of a silent database take the default. */
export const PATIENT: Environment = { DATABASE_TIMEOUT_MS: '30000' };

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Process extends AsyncDisposable {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when standard output holds `text`. Throws with all output if the process ends first. */
  says(text: string): Promise<void>;
  /** Sends the signal to end, and waits for the end. */
  stop(): Promise<Exit>;
}

/** Longer than any orderly end may take. */
const STOP_TIMEOUT_MS = 90_000;

/** Processes that a failed test left running. They end with the test worker. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** `script`: as in src/cli.ts. Of our environment the process sees only the path to programs. */
export function startProcess(
  script: string,
  environment: Environment,
  args: readonly string[] = [],
): Process {
  const child = spawn(process.execPath, [resolve(PROJECT, script), ...args], {
    cwd: PROJECT,
    env: { PATH: programPath(), ...compileCache(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = new Promise<Exit>((settle) => {
    // 'close' instead of 'exit', because all output has arrived by then.
    child.once('close', (code, signal) => {
      running.delete(child);
      settle({ code, signal });
    });
  });

  const says = async (text: string) => {
    const said = Promise.withResolvers<void>();
    const watch = () => stdout.includes(text) && said.resolve();
    watchers.add(watch);
    watch();
    const ended = exited.then(({ code }) => {
      throw new Error(`${script} ended with ${code} and never said "${text}":\n${stdout}\n${stderr}`);
    });
    ended.catch(() => {}); // It ends at some point in any case.
    const first = Promise.race([said.promise, ended]).finally(() => watchers.delete(watch));
    await settled(first, `"${text}" of ${script}`, () => `${stdout}\n${stderr}`);
  };
  const stop = async () => {
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    return exited.finally(() => clearTimeout(kill));
  };
  return {
    pid: child.pid ?? 0,
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
    says,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Waits until `check` passes. Throws with the log of the process if it ends first. */
export async function starts(process: Process, check: () => unknown): Promise<void> {
  await Promise.race([vi.waitFor(check, SOON), endsEarly(process)]);
}

/** Waits until the process says that it is healthy. `url`: its origin. */
export const serves = (process: Process, url: string) =>
  starts(process, async () => expect((await send(`${url}/healthz`)).status).toBe(200));

/** Throws when the process ends. A later end is fine: nobody awaits the result by then. */
async function endsEarly(process: Process): Promise<never> {
  const { code } = await process.exited;
  throw new Error(`a process ended with ${code}: ${process.stderr()}`);
}

/** Runs a process that ends by itself. */
export async function runProcess(script: string, environment: Environment, args: readonly string[] = []) {
  const started = startProcess(script, environment, args);
  const known = () => `${started.stdout()}\n${started.stderr()}`;
  const { code } = await settled(started.exited, `the end of ${script} ${args.join(' ')}`, known);
  return { code, stdout: started.stdout(), stderr: started.stderr() };
}

function programPath(): string {
  // All in one looks for setpriv and unshare there.
  return process.env.PATH ?? '/usr/bin:/bin';
}

/** The lines of its log with this message. Messages for people about the configuration are not JSON. */
export function loggedBy<Line>(process: Process, message: string): Line[] {
  const lines = process.stderr().match(/^\{.*\}$/gm) ?? [];
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}

/** Waits for the first line of its log with this message. It may come after the answer that it tells of. */
export const logs = (process: Process, message: string) =>
  vi.waitFor(() => {
    const [line] = loggedBy(process, message);
    expect(line, message).toBeDefined();
    return line;
  }, SOON);
