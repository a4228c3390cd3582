/** Compares and submits with the real parts. All settings are plain, so another process can do the same. */
import { openSites } from '../../../src/features/sites/open-sites.ts';
import { takeHosts } from '../../../src/features/submission/host-store.ts';
import { type Comparison, createOpenOutbox } from '../../../src/features/submission/open-outbox.ts';
import { workOnHost } from '../../../src/features/submission/work-on-host.ts';
import { createAskOutside } from '../../../src/platform/http/outbound.ts';
import { createLog } from '../../../src/platform/log.ts';
import { inTransaction } from '../../../src/platform/postgres/database.ts';
import { CALL_TIMEOUT_MS, openStores, type StoreSettings } from './open-stores.ts';

export interface SubmittingSettings extends StoreSettings {
  readonly endpoint: string;
}

export interface ComparedUpload {
  readonly comparison: Comparison;
  readonly changedUrls: readonly string[];
}

/** The task of `submit-once.ts`. */
export interface SubmissionTask extends SubmittingSettings {
  readonly upload: ComparedUpload;
}

export interface Submitting extends AsyncDisposable {
  /** Compares the upload unless that is recorded, as the comparison's job does. */
  compare(upload: ComparedUpload): Promise<void>;
  /** Works until nothing is due. */
  workOff(): Promise<void>;
}

export function openSubmitting(settings: SubmittingSettings): Submitting {
  const log = createLog('submitting', 'silent');
  const stores = openStores(settings);
  const { database, storage } = stores;
  const publicOrigin = 'https://{hostname}';
  const sites = openSites({ database, storage, log, publicOrigin, keepReplacedMs: 0, places: 2 });
  const openOutbox = createOpenOutbox({ database, storage });
  const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
  const options = {
    ...{ database, storage, log, endpoint: settings.endpoint },
    ask: (request: Parameters<typeof ask>[0]) => ask({ ...request, timeoutMs: CALL_TIMEOUT_MS }),
    openChange: sites.openChange,
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
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  };
}
