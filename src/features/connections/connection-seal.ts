/**
 * Seals the keys of connections with CERTIFICATE_KEYS. The subject has the endpoint: a writer of the database cannot send keys
 * to another host.
 */
import { type KeyRing, SealError, type Sealed } from '../../platform/key-ring.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Connection, ConnectionKeys } from './connection.ts';
import { listSealedByOthers, saveSealedAnew } from './connection-store.ts';

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
 * Seals all keys with the first of CERTIFICATE_KEYS, so that operators can remove the older ones. Keys that cannot be opened are given
 * up: loads then say that their owner must set them again.
 */
export async function sealConnectionsAnew(
  database: Database,
  ring: KeyRing,
  log: Pick<Log, 'error'>,
): Promise<void> {
  for (;;) {
    const rows = await listSealedByOthers(database, ring.keyId, PORTION);
    for (const row of rows) {
      const anew = resealed(ring, row, row.secrets);
      if (anew === null) {
        const { accountId, name } = row;
        log.error({ accountId, connection: name }, 'no key of CERTIFICATE_KEYS opens the connection');
      }
      await saveSealedAnew(database, row, anew);
    }
    if (rows.length < PORTION) return;
  }
}

function resealed(ring: KeyRing, subject: Subject, sealed: Sealed): Sealed | null {
  try {
    return sealKeys(ring, subject, openKeys(ring, subject, sealed));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
