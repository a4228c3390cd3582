/** Hosting servers of their own, beside a Waypost that lends its stored files. */
import { expect } from 'vitest';
import { freePort } from '../../../tools/free-port.ts';
import type { Process } from '../../../tools/start-command.ts';
import { type Environment, loggedBy, startProcess, starts } from './processes.ts';
import { storeSettings } from './store.ts';
import type { Addresses } from './waypost.ts';

export interface Hosting extends AsyncDisposable {
  readonly port: number;
  readonly hostingUrl: string;
  readonly process: Process;
  /** The log lines with this message, oldest first. */
  logged(message: string): { worker: number; workers: number[]; signal?: string }[];
}

/** Resolves when each of its processes has logged `listening`. */
export async function startHosting(
  lender: Addresses,
  environment: Environment,
  listening = 'listening',
): Promise<Hosting> {
  const port = await freePort();
  const settings = { ...storeSettings(lender.dataDir), HOSTING_PORT: String(port), ...environment };
  await using scope = new AsyncDisposableStack();
  const process = scope.use(startProcess('src/hosting-server.ts', settings));
  const logged: Hosting['logged'] = (message) => loggedBy(process, message);
  const count = Number(environment.HOSTING_PROCESSES ?? 1);
  await starts(process, () => expect(logged(listening)).toHaveLength(count));
  const started = scope.move();
  return {
    ...{ port, hostingUrl: `http://127.0.0.1:${port}`, process, logged },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
