/** Runs `npm run start:api` beside an all-in-one program, on the same Postgres. */
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { embeddedPostgresUrl } from '../src/platform/postgres/embedded-postgres.ts';
import { freePort } from '../tools/free-port.ts';
import { isNoEnvFile, type WaypostProcess } from '../tools/waypost-process.ts';
import { NO_LIMITS } from './bench-waypost.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const PARAMETERS = packageJson.scripts['start:api'].split(' ').slice(1).filter(isNoEnvFile);

/** `settings` must name the storage. */
export async function startApi(
  { dataDir }: Pick<WaypostProcess, 'dataDir'>,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const database = await embeddedPostgresUrl(join(dataDir, 'postgres'));
  const port = await freePort();
  return startServer([process.execPath, ...PARAMETERS], port, {
    DATABASE_URL: database!.reveal(),
    // Without this setting, sites would have certificates of the all-in-one program, and redirect to HTTPS.
    PUBLIC_ORIGIN: 'http://{hostname}',
    CNAME_BASE: 'cname.example.net',
    CNAME_SECRET: 'of the bench',
    API_PORT: String(port),
    LOG_LEVEL: 'warn',
    ...NO_LIMITS,
    ...settings,
  });
}
