/** Makes a link to the dashboard of the demo, for the person who watches it. */
import { join } from 'node:path';
import { createSignInLink } from '../../src/features/accounts/create-sign-in-link.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabasePool } from '../../src/platform/postgres/database.ts';
import { embeddedPostgresUrl } from '../../src/platform/postgres/embedded-postgres.ts';
import type { WaypostProcess } from '../waypost-process.ts';

/** Returns a one-time link, like the command `sign-in`. */
export async function signInLink({ dataDir, accountId = '', apiUrl }: WaypostProcess): Promise<string> {
  const url = await embeddedPostgresUrl(join(dataDir, 'postgres'));
  const database = createDatabasePool(url!, 1, createLog('demo', 'warn'));
  const link = await createSignInLink({ database, newId }, accountId, apiUrl).finally(() => database.end());
  return link!;
}
