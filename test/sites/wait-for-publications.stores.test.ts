/** Changes of a site that meet a long publication, which has locked the domain. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { lockDomain } from '../../src/features/domains/domain-store.ts';
import { evictExcess } from '../../src/features/sites/evict-excess.ts';
import { rebuildSite } from '../../src/features/sites/rebuild-site.ts';
import { createDatabasePool, inTransaction } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount, addServedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { storage } = fixture;
const account = await addAccount(fixture.database);
/** The limit of ordinary statements in ms. */
const LIMIT_MS = 300;

/** Runs `work` over a pool with the limit, while a publication holds the domain for longer. */
async function duringPublication<Result>(
  domainId: string,
  work: (database: typeof fixture.database) => Promise<Result>,
): Promise<Result> {
  const url = fixture.database.options.connectionString!;
  const database = createDatabasePool(new Secret(url), 2, collectLog(), LIMIT_MS);
  onTestFinished(() => database.end());
  const locked = Promise.withResolvers<void>();
  const publication = inTransaction(fixture.database, async (transaction) => {
    await lockDomain(transaction, domainId);
    locked.resolve();
    await sleep(3 * LIMIT_MS);
  });
  await locked.promise;
  const [result] = await Promise.all([work(database), publication]);
  return result;
}

test('a rebuild waits', async () => {
  const { id, hostname } = await addServedDomain(fixture.database, account);
  await fixture.upload(account, { domain: hostname, urls: plainEntries(2) });
  const options = { storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS };
  const rebuilding = duringPublication(id, (database) => rebuildSite({ ...options, database }, hostname));
  expect(await rebuilding).toBe('written');
});

test('the withdrawal of uploads beyond the plan waits', async () => {
  const { id, hostname } = await addServedDomain(fixture.database, account);
  for (const count of [2, 3, 4])
    await fixture.upload(account, { domain: hostname, urls: plainEntries(count) });
  await duringPublication(id, (database) => evictExcess({ database, replacedBytes: { business: 1 } }));
  const { rows } = await fixture.database.query(
    'SELECT withdrawn FROM uploads WHERE domain_id = $1 ORDER BY seq',
    [id],
  );
  expect(rows.map(({ withdrawn }) => withdrawn)).toEqual([true, true, false]);
});
