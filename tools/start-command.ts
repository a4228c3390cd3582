/** Starts a program with a given environment, watches its output, and ends it by a signal to its own pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '..');

type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandOptions {
  /** The whole environment of the process. */
  readonly environment: Environment;
  /** The working folder. Default: the folder of the project. */
  readonly cwd?: string;
  /** Whether people see the standard error of the process at once. Then it is not kept for `stderr()`. */
  readonly showsErrors?: boolean;
  /** Whether the process has a group of its own, so that Ctrl+C does not reach it. Then only our own signal ends it. */
  readonly detached?: boolean;
}

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
  /** Resolves when standard output holds `text`. Throws with all output if the process ends first, or after two minutes. */
  says(text: string): Promise<void>;
  /** Sends the signal to end, and waits for the end. */
  stop(): Promise<Exit>;
}

/** A start on a busy machine takes long; on a quiet one it takes 1 to 2 s. */
const SAY_TIMEOUT_MS = 120_000;
/** Longer than any orderly end may take. */
const STOP_TIMEOUT_MS = 90_000;

/** Processes that may still run when ours ends, as after a failed test. They are killed then. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function startCommand(
  [program, ...parameters]: readonly string[],
  { environment, cwd = PROJECT, showsErrors = false, detached = false }: CommandOptions,
): Process {
  const child = spawn(program!, parameters, {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', showsErrors ? 'inherit' : 'pipe'],
    detached,
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // The error if the command cannot start. 'close' follows it.
  child.once('error', (error) => {
    stderr += error.message;
  });
  const exited = new Promise<Exit>((settle) => {
    // Wait for 'close' and not for 'exit', because all output has arrived by then.
    child.once('close', (code, signal) => {
      running.delete(child);
      settle({ code, signal });
    });
  });

  const says = async (text: string) => {
    const command = [program, ...parameters].join(' ');
    const said = Promise.withResolvers<void>();
    const fail = (why: string) => said.reject(new Error(`${why}:\n${stdout}\n${stderr}`));
    const watch = () => stdout.includes(text) && said.resolve();
    const timer = setTimeout(() => fail(`still waiting for "${text}" of ${command}`), SAY_TIMEOUT_MS);
    watchers.add(watch);
    watch();
    void exited.then(({ code }) => fail(`${command} ended with ${code} and never said "${text}"`));
    await said.promise.finally(() => {
      clearTimeout(timer);
      watchers.delete(watch);
    });
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
