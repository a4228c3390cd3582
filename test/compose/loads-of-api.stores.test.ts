/** The API works off the queue of loads: it reports each, and takes none while it ends. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openApi } from '../../src/compose/open-api.ts';
import { openLivePlans } from '../../src/compose/open-live-plans.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { newApiKey } from '../../src/features/accounts/api-key.ts';
import { insertKey } from '../../src/features/accounts/key-store.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { createGetDomain } from '../../src/features/domains/own-domain.ts';
import { askLoad } from '../../src/features/uploads/loads/ask-load.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { newId } from '../../src/platform/ids.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { addAccount, addVerifiedDomain, CNAME_TARGETS } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { once, soon } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Longer than the pause between two looks at the queue. */
const LOOKS_MS = 1500;

const { database } = await createTestDatabase();
const getDomain = createGetDomain(database);
const accountId = await addAccount(database);
const { hostname } = await addVerifiedDomain(database, accountId);
const key = newApiKey();
const keyId = newId('key');
await insertKey(database, { id: keyId, accountId, name: 'Test', key, expiresAt: null, creatorId: null });

async function newLoad(): Promise<string> {
  const terms = {
    ...({ sizeLimit: 'standard', onInvalid: 'fail', maxRejected: 0, maxRejectedPercent: null } as const),
    ...{ expectedUrlCount: null, placement: null },
  };
  const asked = {
    // The address is one of this machine, which loads must not read.
    ...{ sources: ['https://127.0.0.1/sitemap.xml'], form: null, dialect: {}, allowHosts: [] },
    ...{ connection: null, ifChanged: false },
    ...({ onMissing: 'fail', ifGeneration: null, force: false } as const),
  };
  const caller = { accountId, keyId, session: null, address: null };
  const session = { hostname, sitemapName: '', terms };
  const { id } = await askLoad({ database, newId, getDomain }, caller, session, asked, null);
  return id;
}

async function timesTaken(id: string): Promise<number> {
  const { rows } = await database.query<{ fence: number }>('SELECT fence FROM loads WHERE id = $1', [id]);
  return rows[0]!.fence;
}

test('loads are reported, and none is taken while the server closes', async () => {
  await using scope = new AsyncDisposableStack();
  const metrics = createMetrics();
  const port = await openApi({
    config: readConfig({ API_PORT: '0', RENDER_THREADS: '1', IDLE_GRACE_MS: '0' }),
    ...{ database, log: collectLog(), scope, metrics, publicOrigin: 'https://{hostname}' },
    storage: await openFolderStorage(await createTemporaryFolder()),
    livePlans: await openLivePlans({ database, log: collectLog(), scope, defaults: readPlans() }),
    ...{ cnameTargets: CNAME_TARGETS, trialNames: [] },
  });
  const first = await newLoad();
  const reported = /^waypost_job_duration_seconds_count\{name="loads",outcome="\w+"\} 1$/m;
  await vi.waitUntil(async () => reported.test(await metrics.metrics()), soon('the report of a load'));
  expect(await timesTaken(first)).toBe(1);

  const upload = connect(port, '127.0.0.1');
  const head = [
    `POST /api/sitemap/generate?domain=${hostname} HTTP/1.1`,
    ...['Host: a', `Authorization: Bearer ${key}`, 'Content-Type: text/plain'],
    ...['Transfer-Encoding: chunked', 'Expect: 100-continue'],
  ];
  upload.write(`${head.join('\r\n')}\r\n\r\n`);
  expect(String(await once(upload, 'data'))).toContain('100 Continue');
  let hasEnded = false;
  const ended = scope.disposeAsync().then(() => {
    hasEnded = true;
  });
  const late = await newLoad();
  await delay(LOOKS_MS);
  expect({ hasEnded, taken: await timesTaken(late) }).toEqual({ hasEnded: false, taken: 0 });
  upload.destroy();
  await ended;
  expect(await timesTaken(late)).toBe(0);
});
