/** Two API, two hosting and two job processes on one database and one object storage, as behind a load balancer. */
import { freePort } from '../../../tools/free-port.ts';
import type { Process } from '../../../tools/start-command.ts';
import { type Environment, serves, startProcess } from './processes.ts';
import { addressesOf, openBackend } from './separate-waypost.ts';
import { type Addresses, createFolder } from './waypost.ts';

interface Side extends Addresses {
  readonly api: Process;
  readonly hosting: Process;
}

export interface TwoOfEach extends AsyncDisposable {
  readonly dataDir: string;
  /** Each side has its own API and hosting process. */
  readonly sides: readonly [Side, Side];
  /** The logs of all processes. */
  stderr(): string;
}

export async function startTwoOfEach(environment: Environment): Promise<TwoOfEach> {
  await using scope = new AsyncDisposableStack();
  const { path: dataDir } = scope.use(await createFolder());
  const { settings, dns } = await openBackend(dataDir);
  scope.use(dns);
  const processes: Process[] = [];
  const start = (script: string, ports: Environment = {}) => {
    const process = scope.use(startProcess(script, { ...settings, ...environment, ...ports }));
    processes.push(process);
    return process;
  };
  const startSide = async (): Promise<Side> => {
    const [apiPort, hostingPort] = [await freePort(), await freePort()];
    const api = start('src/api-server.ts', { API_PORT: String(apiPort) });
    const hosting = start('src/hosting-server.ts', { HOSTING_PORT: String(hostingPort), DATABASE_URL: '' });
    start('src/job-runner.ts');
    return { dataDir, dns, api, hosting, ...addressesOf(apiPort, hostingPort) };
  };
  const sides = [await startSide(), await startSide()] as const;
  for (const { api, apiUrl, hosting, hostingUrl } of sides) {
    await serves(api, apiUrl);
    await serves(hosting, hostingUrl);
  }
  const whole = scope.move();
  return {
    dataDir,
    sides,
    stderr: () => processes.map((process) => process.stderr()).join(''),
    [Symbol.asyncDispose]: async () => whole.disposeAsync(),
  };
}
