/** Processes as an operator starts them: with an environment, and ended by a signal to their own pid. */
import { readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { type Process, startCommand } from '../../../tools/start-command.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { SOON, settled } from '../../support/soon.ts';
import { send } from './send.ts';

export type Environment = Readonly<Record<string, string>>;

/** A busy machine is slow, not down. Tests of a silent database take the default. */
export const PATIENT: Environment = { DATABASE_TIMEOUT_MS: '30000' };

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The options of Node that bound the memory of a program, as its npm script has them. */
function memoryOptions(script: string): string[] {
  const command = Object.values(scripts).find(
    (line) => line.startsWith('node ') && line.endsWith(` ${script}`),
  );
  return command?.match(/--(?:max|heap)-\S+/g) ?? [];
}

/**
 * `script`: as in src/cli.ts. `tree`: the folder of the version, this one if left out. Of our environment the process sees only the
 * path to programs.
 */
export function startProcess(
  script: string,
  environment: Environment,
  args: readonly string[] = [],
  tree?: string,
): Process {
  return startCommand([process.execPath, ...memoryOptions(script), script, ...args], {
    environment: { PATH: programPath(), ...compileCache(), ...environment },
    ...(tree !== undefined && { cwd: tree }),
  });
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
export async function runProcess(
  script: string,
  environment: Environment,
  args: readonly string[] = [],
  tree?: string,
) {
  const started = startProcess(script, environment, args, tree);
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
