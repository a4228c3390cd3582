/** Starts a process that a test kills again and again. */
import { type Environment, serves, startProcess } from './processes.ts';

/**
 * Returns a function that kills the process and starts it again. `url`: its address, at which it must serve before the start is over.
 * The scope stops it.
 */
export async function startKillable(
  scope: AsyncDisposableStack,
  script: string,
  environment: Environment,
  url?: string,
): Promise<() => Promise<void>> {
  const start = () => startProcess(script, environment);
  let process = start();
  scope.defer(async () => void (await process.stop()));
  if (url !== undefined) await serves(process, url);
  return async () => {
    process.kill('SIGKILL');
    await process.exited;
    process = start();
    if (url !== undefined) await serves(process, url);
  };
}
