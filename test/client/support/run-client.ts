/** Runs the command line with nothing of our environment but the path to programs: as a process of its own, or many commands in one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { PROJECT } from '../../architecture/import-graph.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { settled } from '../../support/soon.ts';
import { startCommands } from '../../support/start-commands.ts';
import { API_KEY } from './fake-waypost.ts';

export interface ClientRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly url?: string;
  readonly key?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ClientOptions extends Surroundings {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Default: the source, on the Node of the tests. */
  readonly program?: readonly string[];
}

export interface RunningClient {
  readonly child: ChildProcess;
  readonly ended: Promise<ClientRun>;
}

const SOURCE = [process.execPath, join(PROJECT, 'client/src/cli/waypost.ts')];

/** Starts the client. Its standard input stays open, unless `stdin` is given. */
export function startClient(args: readonly string[], options: ClientOptions = {}): RunningClient {
  const { stdin, cwd = PROJECT, program = SOURCE } = options;
  const child = spawn(program[0]!, [...program.slice(1), ...args], { cwd, env: environmentOf(options) });
  // A program that has ended takes no more input.
  child.stdin.on('error', () => {});
  if (stdin !== undefined) child.stdin.end(stdin);
  const closed = once(child, 'close');
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}

export function runClient(args: readonly string[], options: ClientOptions = {}): Promise<ClientRun> {
  const { child, ended } = startClient(args, { stdin: '', ...options });
  return settled(ended, `the end of waypost ${args.join(' ')}`).finally(() => child.kill());
}

/**
 * Starts a process for many commands without standard input, because a start takes a quarter of a second. Each command finds what a
 * process of its own has. The process ends with the test file.
 */
export function startCommandLine() {
  const commands = startCommands(new URL('./command-line.ts', import.meta.url));
  afterAll(() => commands[Symbol.asyncDispose]());
  return (args: readonly string[], surroundings: Surroundings = {}): Promise<ClientRun> =>
    settled(
      commands.run({ args, environment: environmentOf(surroundings) }),
      `the end of waypost ${args.join(' ')}`,
    );
}

function environmentOf({ url, key = API_KEY, environment = {} }: Surroundings) {
  return {
    PATH: process.env.PATH,
    ...compileCache(),
    // No user could make it.
    HOME: '/dev/null/home',
    ...(url && { WAYPOST_URL: url, WAYPOST_API_KEY: key }),
    ...environment,
  };
}
