/**
 * Starts an attacker in a separate process: a script of `apart/` that takes its options as JSON. It runs on the client's core.
 *
 * Beside an honest load the attacker gets that core only while the load leaves the core idle (`behindClients`). So every measured delay is
 * the server's. With `nice` alone, the honest p50 was two to four times as long. If the attack must keep its rate, and no honest load is
 * measured, the attacker gets the core like any other process (`onClientCore`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Attacker<Report> extends AsyncDisposable {
  readonly pid: number;
  /** The latest report. */
  report(): Report;
}

/** Resolves when the attack has begun. Disposal kills the process, and so closes all its connections. */
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
  // The process is killed at the end. Then this promise rejects, and no `await` waits for it any more.
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
