/** Kept data in the place of a service that is to start on it. */
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { createDatabase } from '../service/support/separate-waypost.ts';
import { createStore, isOnS3, writeStored } from '../service/support/store.ts';
import { restoreTables } from './kept-data.ts';

/** Puts the database and the store of an unpacked archive below `dataDir`. */
export async function restore(kept: string, dataDir: string): Promise<void> {
  const data = join(kept, 'data');
  if (!isOnS3) {
    await rm(join(dataDir, 'objects'), { recursive: true });
    await cp(data, dataDir, { recursive: true });
    const postgres = await startEmbeddedPostgres(join(dataDir, 'postgres'), { durable: false });
    await restoreTables(kept, postgres.url.reveal()).finally(() => postgres.stop());
    return;
  }
  await restoreTables(kept, await createDatabase(dataDir));
  await createStore(dataDir);
  const objects = join(data, 'objects');
  for (const entry of await readdir(objects, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await writeStored(dataDir, path.slice(objects.length + 1), await readFile(path));
  }
}
