/**
 * Seals with the first of CERTIFICATE_KEYS whatever another key has sealed, so that operators can remove the older keys.
 * What no key opens is given up: a new certificate is ordered, or a new account made.
 */

import pMap from 'p-map';
import { changeLockedSite } from '../domains/change-locked-site.ts';
import type { ChangeSite } from '../domains/domain.ts';
import { type KeyRing, SealError, type Sealed } from '../platform/key-ring.ts';
import type { Log } from '../platform/log.ts';
import type { Database, Queryable } from '../platform/postgres/database.ts';
import { steadyNow } from '../platform/steady-clock.ts';
import { certificateSubject } from '../sites/certificate.ts';
import {
  deleteAcmeAccount,
  listAcmeKeysSealedByOthers,
  saveAcmeKeySealedAnew,
} from './acme-account-store.ts';
import { giveUpKeys, listSealedByOthers, type SealedKeys, saveSealedAnew } from './certificate-store.ts';
import { accountSubject, orderSubject } from './sealed-subjects.ts';

export interface SealAnewOptions {
  readonly database: Database;
  readonly keys: KeyRing;
  readonly changeSite: ChangeSite;
  readonly log: Log;
}

const PORTION = 1_000;
/** Each writes its certificate for hosting. */
const AT_ONCE = 8;
/** A run ends before the next one is due, which does the rest: a million takes some hours. */
const MAX_MS = 4 * 60_000;

export async function sealAnew(options: SealAnewOptions): Promise<void> {
  const { database, keys, log } = options;
  for (const { directory, key } of await listAcmeKeysSealedByOthers(database, keys.keyId)) {
    const anew = reseal(keys, key, accountSubject(directory));
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
    // One that fails stops no other of its portion. The next run tries it again.
    await pMap(rows, (row) => sealRow(options, row), { concurrency: AT_ONCE, stopOnError: false }).catch(
      ({ errors }) => {
        throw errors[0];
      },
    );
  } while (rows.length === PORTION && steadyNow() < endsAt);
}

async function sealRow({ database, keys, changeSite, log }: SealAnewOptions, row: SealedKeys): Promise<void> {
  const { domainId, hostname, chain, key, orderUrl, orderKey } = row;
  const anew = {
    key: key && reseal(keys, key, certificateSubject(hostname, chain ?? '')),
    orderKey: orderKey && reseal(keys, orderKey, orderSubject(hostname, orderUrl ?? '')),
  };
  const isLost = anew.key === undefined || anew.orderKey === undefined;
  if (isLost)
    log.error({ hostname }, 'no key of CERTIFICATE_KEYS opens the certificate: a new one is ordered');
  const save = (queryable: Queryable) =>
    isLost
      ? giveUpKeys(queryable, row)
      : saveSealedAnew(queryable, row, { key: anew.key ?? null, orderKey: anew.orderKey ?? null });
  // The change of the site writes the certificate for hosting.
  if (domainId === null) await save(database);
  else await changeLockedSite(changeSite, { id: domainId, hostname }, save);
}

/** Undefined if no key opens it. */
function reseal(keys: KeyRing, sealed: Sealed, subject: readonly string[]): Sealed | undefined {
  try {
    return keys.seal(keys.open(sealed, subject), subject);
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
