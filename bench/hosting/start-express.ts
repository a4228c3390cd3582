/** Starts `express.static` in production mode (apart/express-static.ts). */
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tools/free-port.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { onServerCore } from './cores.ts';

const SCRIPT = fileURLToPath(new URL('../apart/express-static.ts', import.meta.url));

export async function startExpress(www: string): Promise<ServerProcess> {
  const port = await freePort();
  const command = [process.execPath, SCRIPT, www, String(port)];
  return startServer(onServerCore(command), port, { NODE_ENV: 'production' });
}
