/**
 * Seals the keys of connections with CERTIFICATE_KEYS. The endpoint is part of the subject, so that an attacker who can write to the
 * database cannot make us send the keys to another host.
 */
import type { KeyRing, Sealed } from '../../platform/key-ring.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { listSealingKeys } from '../../platform/postgres/sealing-keys.ts';
import type { Connection, ConnectionKeys } from './connection.ts';
import { listSealedBy, saveSealedAnew } from './connection-store.ts';

type Subject = Pick<Connection, 'accountId' | 'name' | 'endpoint'>;
const subjectOf = ({ accountId, name, endpoint }: Subject) => ['connection', accountId, name, endpoint];

export function sealKeys(ring: KeyRing, subject: Subject, keys: ConnectionKeys): Sealed {
  return ring.seal(Buffer.from(JSON.stringify(keys)), subjectOf(subject));
}

/** Throws SealError. */
export function openKeys(ring: KeyRing, subject: Subject, sealed: Sealed): ConnectionKeys {
  return JSON.parse(ring.open(sealed, subjectOf(subject)).toString());
}

const PORTION = 1000;

/**
 * Seals all keys with the first of CERTIFICATE_KEYS, so that operators can remove the older ones. Keys that cannot be opened stay as they
 * are, because the operator may restore the missing key of CERTIFICATE_KEYS. Only the account can replace such keys.
 */
export async function sealConnectionsAnew(
  database: Database,
  ring: KeyRing,
  log: Pick<Log, 'error'>,
): Promise<void> {
  for (const keyId of await listSealingKeys(database, 'connections', 'secrets')) {
    if (keyId === ring.keyId) continue;
    if (ring.has(keyId)) await sealAllOf(database, ring, keyId, log);
    else log.error({ keyId }, 'CERTIFICATE_KEYS lacks a key that sealed connections: loads cannot use them');
  }
}

async function sealAllOf(
  database: Database,
  ring: KeyRing,
  keyId: string,
  log: Pick<Log, 'error'>,
): Promise<void> {
  for (let sealed = 1; sealed > 0; ) {
    sealed = 0;
    for (const row of await listSealedBy(database, keyId, PORTION)) {
      const anew = ring.reseal(row.secrets, subjectOf(row));
      if (anew === undefined) {
        const { accountId, name } = row;
        log.error({ accountId, connection: name }, 'the sealed keys of a connection are damaged');
        continue;
      }
      await saveSealedAnew(database, row, anew);
      sealed++;
    }
  }
}
