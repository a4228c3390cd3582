/**
 * An attacker as a process of its own: a script of `apart/` that takes its options as JSON. It has the client's core.
 *
 * Beside an honest load it has that core only while the load does not want it (`behindClients`): a delay that is
 * measured is the server's. With `nice` alone the honest p50 was two to four times as long. Where only the attack has
 * to keep its rate, it has the core like any other process (`onClientCore`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Attacker<Report> extends AsyncDisposable {
  readonly pid: number;
  /** As it was a moment ago. */
  report(): Report;
}

/** Resolves when the attack has begun. Disposing it kills the process, and with it all of its connections. */
export async function startAttacker<Options, Report>(
  script: URL,
  options: Options,
  bind: (command: readonly string[]) => readonly string[],
): Promise<Attacker<Report>> {
  const [file, ...rest] = bind([process.execPath, fileURLToPath(script), JSON.stringify(options)]);
  const child = spawn(file!, rest, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  let latest: Report;
  child.on('message', (report: Report) => {
    latest = report;
  });
  const failed = exited.then(([code]) => Promise.reject(new Error(`the attacker ended with code ${code}`)));
  // It is killed in the end, when nobody waits for its start any more.
  failed.catch(() => {});
  await Promise.race([once(child, 'message'), failed]);
  return {
    pid: child.pid!,
    report: () => latest,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
