/** The doctor after `migrate` and before the first jobs process of this version. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../../src/compose/open-storage.ts';
import { migrate } from '../../src/core/schema/migrate.ts';
import { examine } from '../../src/features/doctor/examine.ts';
import { collect } from '../support/collect.ts';
import { sampleOf } from '../support/property-runs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { DAY_MS } from '../uploads/upload-fixture.ts';
import { keptArchives, restoreTables, unpack } from './kept-data.ts';

const { database, url } = await createTestDatabase('template1');
/** They were not due yet when the data was kept. */
const LATER = ['stuck job', 'overdue garbage'];

test.each(sampleOf(await keptArchives()))('finds nothing wrong with %s', async (archive) => {
  const folder = await createTemporaryFolder();
  unpack(archive, folder);
  await restoreTables(folder, url.reveal());
  await migrate(database);
  const storage = await openFolder(join(folder, 'data/objects'), 'DATA_DIR');
  const { hostingUrl } = JSON.parse(await readFile(join(folder, 'data/demo.json'), 'utf8'));
  const publicOrigin = `http://{hostname}:${new URL(hostingUrl).port}`;
  const options = { database, storage, publicOrigin, keepReplacedMs: DAY_MS };
  const found = await collect(examine(options));
  expect(found.filter(({ problem }) => !LATER.includes(problem))).toEqual([]);
});
