/** Compares and submits with the real parts. All settings are plain, so another process can do the same. */
import { createAskOutside } from '../../../src/platform/http/outbound.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createDatabasePool, inTransaction } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { createChangeSite } from '../../../src/sites/change-site.ts';
import { writeSite } from '../../../src/sites/write-site.ts';
import { takeHosts } from '../../../src/submission/host-store.ts';
import { type Comparison, createOpenOutbox } from '../../../src/submission/open-outbox.ts';
import { workOnHost } from '../../../src/submission/work-on-host.ts';

export interface SubmittingSettings {
  readonly databaseUrl: string;
  readonly s3: {
    readonly endpoint: string;
    readonly region: string;
    readonly bucket: string;
    readonly accessKey: string;
    readonly secretKey: string;
  };
  readonly endpoint: string;
}

export interface ComparedUpload {
  readonly comparison: Comparison;
  readonly changedUrls: readonly string[];
}

export interface Submitting extends AsyncDisposable {
  /** Compares the upload unless that is recorded, as the comparison's job does. */
  compare(upload: ComparedUpload): Promise<void>;
  /** Works until nothing is due. */
  workOff(): Promise<void>;
}

/** A call that hangs is given up soon. */
const TIMEOUT_MS = 1000;
const S3_DEADLINES = { attemptTimeoutMs: TIMEOUT_MS, stallTimeoutMs: TIMEOUT_MS };

export function openSubmitting({ databaseUrl, s3, endpoint }: SubmittingSettings): Submitting {
  const log = createLog('submitting', 'silent');
  const database = createDatabasePool(new Secret(databaseUrl), 4, log);
  const secrets = { accessKey: new Secret(s3.accessKey), secretKey: new Secret(s3.secretKey) };
  const storage = createS3Storage({ ...s3, ...secrets }, S3_DEADLINES);
  const writing = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: 0 };
  const openOutbox = createOpenOutbox({ database, storage });
  const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
  const options = {
    ...{ database, storage, log, endpoint },
    ask: (request: Parameters<typeof ask>[0]) => ask({ ...request, timeoutMs: TIMEOUT_MS }),
    changeSite: createChangeSite({ database, writeSite: (hostname) => writeSite(writing, hostname) }),
    ...{ urlsPerDay: 1_000_000, pauseMs: 0, random: Math.random, report: () => {} },
  };
  return {
    async compare({ comparison, changedUrls }) {
      const { rowCount } = await database.query('SELECT FROM compared_uploads WHERE id = $1', [
        comparison.uploadId,
      ]);
      if (rowCount === 1) return;
      const outbox = (await openOutbox(comparison))!;
      try {
        for (const url of changedUrls) await outbox.add('changed', [url]);
        await outbox.settle();
        await inTransaction(database, async (transaction) => {
          await transaction.query('INSERT INTO compared_uploads (id) VALUES ($1)', [comparison.uploadId]);
          await outbox.commit(transaction);
        });
      } catch (error) {
        await outbox.discard().catch(() => {});
        throw error;
      }
    },
    async workOff() {
      for (
        let hosts = await takeHosts(database, 10);
        hosts.length > 0;
        hosts = await takeHosts(database, 10)
      ) {
        for (const host of hosts) await workOnHost(options, host, new AbortController().signal);
      }
    },
    async [Symbol.asyncDispose]() {
      storage[Symbol.dispose]();
      await database.end();
    },
  };
}
