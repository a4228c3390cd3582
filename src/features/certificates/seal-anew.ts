/**
 * Seals the private keys of certificates, orders and ACME accounts with the first of CERTIFICATE_KEYS, so that operators can remove the
 * older ones. A key that cannot be opened stays as it is, because a process with incomplete CERTIFICATE_KEYS must not give up certificates
 * that hosting still serves.
 */
import pMap from 'p-map';
import type { KeyRing } from '../../platform/key-ring.ts';
import type { Log } from '../../platform/log.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { OpenChange } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { certificateSubject } from '../sites/certificate.ts';
import { listAcmeKeys, saveAcmeKeySealedAnew } from './acme-account-store.ts';
import { listKeysInUse, listSealedBy, type SealedKeys, saveSealedAnew } from './sealed-key-store.ts';
import { accountSubject, orderSubject } from './sealed-subjects.ts';

export interface SealAnewOptions {
  readonly database: Database;
  readonly keys: KeyRing;
  readonly openChange: OpenChange;
  readonly log: Log;
}

const PORTION = 1_000;
/** The most rows that are sealed at the same time. Each row changes a site, which writes its certificate for hosting. */
const AT_ONCE = 8;
/** The time limit of a run. The next run continues, because a million keys take some hours. */
const MAX_MS = 4 * 60_000;

export async function sealAnew(options: SealAnewOptions): Promise<void> {
  const { database, keys, log } = options;
  await sealAccountsAnew(options);
  const endsAt = steadyNow() + MAX_MS;
  for (const keyId of await listKeysInUse(database)) {
    if (keyId === keys.keyId) continue;
    if (keys.has(keyId)) await sealAllOf(options, keyId, endsAt);
    else log.error({ keyId }, 'CERTIFICATE_KEYS lacks a key that sealed certificates');
  }
}

async function sealAccountsAnew({ database, keys, log }: SealAnewOptions): Promise<void> {
  for (const { directory, key } of await listAcmeKeys(database)) {
    if (key.keyId === keys.keyId) continue;
    const anew = keys.reseal(key, accountSubject(directory));
    if (anew === undefined) log.error({ directory }, 'no key of CERTIFICATE_KEYS opens the ACME account');
    else await saveAcmeKeySealedAnew(database, directory, key, anew);
  }
}

/** Seals portion after portion. Ends after a portion in which no key could be opened, because the next portion has the same rows again. */
async function sealAllOf(options: SealAnewOptions, keyId: string, endsAt: number): Promise<void> {
  for (let sealed = 1; sealed > 0 && steadyNow() < endsAt; ) {
    const rows = await listSealedBy(options.database, keyId, PORTION);
    // If one row fails, the other rows of its portion are still sealed. The next run tries the failed row again.
    const outcomes = await pMap(rows, (row) => sealRow(options, row), {
      concurrency: AT_ONCE,
      stopOnError: false,
    }).catch(({ errors }) => {
      throw errors[0];
    });
    sealed = outcomes.filter(Boolean).length;
  }
}

/** Seals the keys of a row anew. Returns false if one of the keys cannot be opened. */
async function sealRow(
  { database, keys, openChange, log }: SealAnewOptions,
  row: SealedKeys,
): Promise<boolean> {
  const { hostname, chain, key, orderUrl, orderKey } = row;
  const anew = key && keys.reseal(key, certificateSubject(hostname, chain ?? ''));
  const orderAnew = orderKey && keys.reseal(orderKey, orderSubject(hostname, orderUrl ?? ''));
  if (anew === undefined || orderAnew === undefined) {
    log.error({ hostname }, 'the sealed keys of a certificate are damaged');
    return false;
  }
  await changeCertificate({ database, openChange }, row, (queryable) =>
    saveSealedAnew(queryable, row, { key: anew, orderKey: orderAnew }),
  );
  return true;
}

/**
 * Changes a certificate in one change of the site of its domain. The write of the site stores the certificate for hosting. If the domain
 * was deleted, there is no site to change.
 */
export async function changeCertificate<Result>(
  { database, openChange }: Pick<SealAnewOptions, 'database' | 'openChange'>,
  { domainId, hostname }: SealedKeys,
  save: (queryable: Queryable) => Promise<Result>,
): Promise<Result> {
  if (domainId === null) return save(database);
  await using change = await openChange();
  await lockDomain(change.transaction, domainId);
  const result = await save(change.transaction);
  await change.commit({ id: domainId, hostname });
  return result;
}
