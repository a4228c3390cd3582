/** Runs other people's programs as judges, each to its end. */
import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';

export interface Run {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** `environment`: added to PATH and HOME. Nothing else is inherited, so that no proxy of this machine interferes. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment = {} }: { cwd: string; environment?: Readonly<Record<string, string>> },
): Promise<Run> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = Promise.withResolvers<number | null>();
  child.once('error', closed.reject);
  child.once('close', closed.resolve);
  const [code, stdout, stderr] = await Promise.all([
    closed.promise,
    buffer(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
