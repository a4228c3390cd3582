/** Runs the command line as a process of its own, with nothing of our environment but the path to programs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT } from '../../architecture/import-graph.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { settled } from '../../support/soon.ts';
import { API_KEY } from './fake-waypost.ts';

export interface ClientRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ClientOptions {
  readonly url?: string;
  readonly key?: string;
  readonly environment?: Readonly<Record<string, string>>;
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
  const { url, key = API_KEY, environment = {}, stdin, cwd = PROJECT, program = SOURCE } = options;
  const child = spawn(program[0]!, [...program.slice(1), ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      ...compileCache(),
      // No user could make it.
      HOME: '/dev/null/home',
      ...(url && { WAYPOST_URL: url, WAYPOST_API_KEY: key }),
      ...environment,
    },
  });
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
