/** The calls that the sweep of webhooks breaks: a change with its event, and the delivery of the event. */
import type { Domain } from '../../../src/features/domains/domain.ts';
import { verifyUnchecked } from '../../../src/features/domains/verify-domain.ts';
import { openChange } from '../../../src/features/sites/change-site.ts';
import { createDeliveryQueue } from '../../../src/features/webhooks/delivery-queue.ts';
import { Turns } from '../../../src/platform/concurrency/turns.ts';
import { createAskOutside } from '../../../src/platform/http/outbound.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createDatabasePool } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';

export interface TellingSettings {
  readonly databaseUrl: string;
  readonly master: string;
}

/** The task of `tell-once.ts`. */
export interface TellingTask extends TellingSettings {
  readonly domain: Domain;
}

export interface Telling extends AsyncDisposable {
  /** Verifies the domain, if that is still to be done. */
  change(domain: Domain): Promise<void>;
  /** Delivers all due events. */
  deliver(): Promise<void>;
}

/** A call that hangs is given up soon. */
const TIMEOUT_MS = 1000;

export function openTelling({ databaseUrl, master }: TellingSettings): Telling {
  const log = createLog('telling', 'silent');
  const database = createDatabasePool(new Secret(databaseUrl), 4, log);
  const askOutside = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
  const options = {
    ...{
      database,
      log,
      master: new Secret(master),
      recordTurns: new Turns(1),
      dashboardOrigin: undefined,
      random: Math.random,
    },
    ask: (request: Parameters<typeof askOutside>[0]) => askOutside({ ...request, timeoutMs: TIMEOUT_MS }),
    report: () => {},
  };
  const queue = createDeliveryQueue(options, 10);
  const changing = { openChange: () => openChange({ database, writeSite: async () => {} }) };
  return {
    async change(domain) {
      await verifyUnchecked({ ...changing, onVerified: async () => {} }, domain, { isChecked: false });
    },
    async deliver() {
      const { signal } = new AbortController();
      for (const delivery of await queue.take(10)) await queue.work(delivery, signal);
    },
    [Symbol.asyncDispose]: () => database.end(),
  };
}
