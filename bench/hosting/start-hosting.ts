/** What is measured: the hosting server of Waypost alone, over a folder of objects. */
import packageJson from '../../package.json' with { type: 'json' };
import { freePort } from '../../src/platform/free-port.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { onServerCore } from './cores.ts';

/** What `npm run start:hosting` runs, without npm between us and its process. */
const [, ...PARAMETERS] = packageJson.scripts['start:hosting'].split(' ');

export async function startHosting(objects: string): Promise<ServerProcess> {
  const port = await freePort();
  const settings = { STORAGE_DIR: objects, HOSTING_PORT: String(port), LOG_LEVEL: 'warn' };
  return startServer(onServerCore([process.execPath, ...PARAMETERS]), port, settings);
}
