/** Starts the measured server with HTTPS and metrics. */
import { freePort } from '../../tools/free-port.ts';
import { open } from '../../tools/http-exchange.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import type { ServerProcess } from '../server-process.ts';

export interface SecureHosting extends ServerProcess {
  readonly securePort: number;
  /** The sum of the samples of a metric whose labels match. */
  metric(name: string, labels?: RegExp): Promise<number>;
}

/** `keys`: CERTIFICATE_KEYS. */
export async function startSecureHosting(
  objects: string,
  keys: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<SecureHosting> {
  const [securePort, metricsPort] = [await freePort(), await freePort()];
  const hosting = await startHosting({
    STORAGE_DIR: objects,
    HOSTING_TLS_PORT: String(securePort),
    METRICS_PORT: String(metricsPort),
    CERTIFICATE_KEYS: keys,
    ...settings,
  });
  const metric = async (name: string, labels = /(?:)/) => {
    const answer = await open(`http://127.0.0.1:${metricsPort}/metrics`);
    const lines = Buffer.concat(await answer.toArray())
      .toString()
      .split('\n');
    const samples = lines.filter((line) => /^\w+/.exec(line)?.[0] === name && labels.test(line));
    return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  return { ...hosting, securePort, metric };
}
