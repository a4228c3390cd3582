/**
 * Seals all keys with the first of CERTIFICATE_KEYS, so that operators can remove the older ones. A key that cannot be opened is
 * given up: a new certificate is ordered, or a new account made.
 */
import pMap from 'p-map';
import type { KeyRing } from '../../platform/key-ring.ts';
import type { Log } from '../../platform/log.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { certificateSubject } from '../sites/certificate.ts';
import {
  deleteAcmeAccount,
  listAcmeKeysSealedByOthers,
  saveAcmeKeySealedAnew,
} from './acme-account-store.ts';
import { discardKeys, listSealedByOthers, type SealedKeys, saveSealedAnew } from './certificate-store.ts';
import { accountSubject, orderSubject } from './sealed-subjects.ts';

export interface SealAnewOptions {
  readonly database: Database;
  readonly keys: KeyRing;
  readonly openChange: OpenChange;
  readonly log: Log;
}

const PORTION = 1_000;
/** The rows sealed at once. Each of them writes its certificate for hosting. */
const AT_ONCE = 8;
/** The time limit of a run. The next run continues: a million keys take some hours. */
const MAX_MS = 4 * 60_000;

export async function sealAnew(options: SealAnewOptions): Promise<void> {
  const { database, keys, log } = options;
  for (const { directory, key } of await listAcmeKeysSealedByOthers(database, keys.keyId)) {
    const anew = keys.reseal(key, accountSubject(directory));
    if (anew !== undefined) await saveAcmeKeySealedAnew(database, directory, key, anew);
    else {
      log.error({ directory }, 'no key of CERTIFICATE_KEYS opens the account: another one is made');
      await deleteAcmeAccount(database, directory, key);
    }
  }
  const endsAt = steadyNow() + MAX_MS;
  let rows: readonly SealedKeys[];
  do {
    rows = await listSealedByOthers(database, keys.keyId, PORTION);
    // A row that fails stops no other row of its portion. The next run tries it again.
    await pMap(rows, (row) => sealRow(options, row), { concurrency: AT_ONCE, stopOnError: false }).catch(
      ({ errors }) => {
        throw errors[0];
      },
    );
  } while (rows.length === PORTION && steadyNow() < endsAt);
}

async function sealRow({ database, keys, openChange, log }: SealAnewOptions, row: SealedKeys): Promise<void> {
  const { domainId, hostname, chain, key, orderUrl, orderKey } = row;
  const anew = {
    key: key && keys.reseal(key, certificateSubject(hostname, chain ?? '')),
    orderKey: orderKey && keys.reseal(orderKey, orderSubject(hostname, orderUrl ?? '')),
  };
  const isLost = anew.key === undefined || anew.orderKey === undefined;
  if (isLost)
    log.error({ hostname }, 'no key of CERTIFICATE_KEYS opens the certificate: a new one is ordered');
  const save = (queryable: Queryable) =>
    isLost
      ? discardKeys(queryable, row)
      : saveSealedAnew(queryable, row, { key: anew.key ?? null, orderKey: anew.orderKey ?? null });
  if (domainId === null) {
    await save(database);
    return;
  }
  // The change of the site writes the certificate for hosting.
  await using change = await openChange();
  await lockDomain(change.transaction, domainId);
  await save(change.transaction);
  await change.commit({ id: domainId, hostname });
}
