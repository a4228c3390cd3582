/**
 * Replaces certificates whose sealed key cannot be opened by any key of CERTIFICATE_KEYS. Only an operator can tell a lost key from a key
 * that a process lacks by mistake, so the replacement begins when an operator asks. A job does the work, because a million certificates
 * take some hours.
 */
import pMap from 'p-map';
import { enqueueJob } from '../../core/jobs/job-store.ts';
import type { KeyRing } from '../../platform/key-ring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { certificateSubject } from '../sites/certificate.ts';
import { deleteAcmeAccount, listAcmeKeys } from './acme-account-store.ts';
import { discardOwnCertificate, listOwnCertificates } from './own/own-certificate-store.ts';
import { changeCertificate, type SealAnewOptions } from './seal-anew.ts';
import { countSealedBy, discardKeys, type Position, readPage, type SealedKeys } from './sealed-key-store.ts';
import { accountSubject } from './sealed-subjects.ts';

/** The rows that one statement reads. */
const PAGE = 1_000;
/** The most certificates that are given up at the same time. Each certificate changes a site. */
const AT_ONCE = 8;

/**
 * Enqueues the job for the certificates and ACME accounts that the key `keyId` has sealed. The job replaces those that the jobs process
 * cannot open. Returns the number of certificates that this key has sealed. Throws Refusal NOT_FOUND if the key has sealed nothing.
 */
export async function askToReplaceLost(database: Database, keyId: string): Promise<number> {
  const own = (await listOwnCertificates(database)).filter(({ key }) => key.keyId === keyId);
  const certificates = own.length + (await countSealedBy(database, keyId));
  const accounts = await listAcmeKeys(database);
  if (certificates === 0 && !accounts.some(({ key }) => key.keyId === keyId)) {
    throw new Refusal('NOT_FOUND', `No certificate is sealed with a key ${JSON.stringify(keyId)}.`);
  }
  await enqueueJob(database, 'certificates.replace', { keyId }, { key: `certificates.replace ${keyId}` });
  return certificates;
}

/**
 * Replaces the certificates and ACME accounts that are lost with the key `keyId`. Throws if work on some of the certificates was under way,
 * so that the job is tried again.
 */
export async function replaceLost(options: SealAnewOptions, keyId: string): Promise<void> {
  const { database, keys, log } = options;
  for (const { directory, key } of await listAcmeKeys(database)) {
    if (key.keyId !== keyId || keys.tryOpen(key, accountSubject(directory)) !== undefined) continue;
    log.warn({ directory }, 'the key of the ACME account is lost: another account is made');
    await deleteAcmeAccount(database, directory, key);
  }
  for (const own of await listOwnCertificates(database)) {
    if (own.key.keyId !== keyId || opens(keys, own)) continue;
    log.warn(
      { hostname: own.hostname },
      'the key of the certificate of the API is lost: a new one is ordered',
    );
    await discardOwnCertificate(database, own);
  }
  let left = 0;
  for (let after: Position | undefined = ['', '']; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(database, keyId, after, PAGE);
    const lost = page.rows.filter((row) => !opens(keys, row));
    const outcomes = await pMap(lost, (row) => giveUp(options, row), { concurrency: AT_ONCE });
    left += outcomes.filter((isDone) => !isDone).length;
    after = page.last;
  }
  if (left > 0) throw new Error(`${left} certificates with a lost key had work under way`);
}

const opens = (keys: KeyRing, { hostname, chain, key }: Pick<SealedKeys, 'hostname' | 'chain' | 'key'>) =>
  key === null || keys.tryOpen(key, certificateSubject(hostname, chain ?? '')) !== undefined;

async function giveUp(options: SealAnewOptions, row: SealedKeys): Promise<boolean> {
  options.log.warn({ hostname: row.hostname }, 'the key of the certificate is lost: a new one is ordered');
  return changeCertificate(options, row, (queryable) => discardKeys(queryable, row));
}
