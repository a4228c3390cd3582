/** Starts the measured server: the hosting server of Waypost alone, over a folder of objects or an S3 store. */
import packageJson from '../../package.json' with { type: 'json' };
import { freePort } from '../../tools/free-port.ts';
import { isNoEnvFile } from '../../tools/waypost-process.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { onServerCore } from './cores.ts';

/** The command of `npm run start:hosting`, without npm between us and the process. */
const PARAMETERS = packageJson.scripts['start:hosting'].split(' ').slice(1).filter(isNoEnvFile);

/** `settings` must name the storage. */
export async function startHosting(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const port = await freePort();
  const all = { HOSTING_PORT: String(port), LOG_LEVEL: 'warn', ...settings };
  return startServer(onServerCore([process.execPath, ...PARAMETERS]), port, all);
}
