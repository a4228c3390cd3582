/** Opens the room of connections, with which loads reach stores of others. */
import type { BucketStore } from '../../platform/buckets/bucket-request.ts';
import { type KeyRing, SealError } from '../../platform/key-ring.ts';
import {
  type Database,
  inTransaction,
  type Queryable,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { Secret } from '../../platform/secret.ts';
import { type Connection, type GivenConnection, noSuchConnection } from './connection.ts';
import { openKeys, sealKeys } from './connection-seal.ts';
import {
  deleteConnection,
  findConnection,
  listConnections,
  putConnection,
  type StoredConnection,
} from './connection-store.ts';

/** Runs first or last in the transaction of a change. If it throws, the change is rolled back. */
type Step = (transaction: Transaction) => Promise<void>;

export interface ConnectionsOptions {
  readonly database: Database;
  /** Undefined if the operator has not set CERTIFICATE_KEYS. */
  readonly keys: KeyRing | undefined;
}

export type Connections = ReturnType<typeof openConnections>;

export function openConnections({ database, keys }: ConnectionsOptions) {
  return {
    list: async (accountId: string) =>
      (await listConnections(database, accountId)).map((stored) => judged(keys, stored)),
    /** `hold` must lock the account. Throws Refusal: SERVICE_UNAVAILABLE without CERTIFICATE_KEYS, and as `putConnection` does. */
    put: (accountId: string, name: string, given: GivenConnection, hold: Step, onPut: Step) => {
      const ring = requireKeys(keys);
      const { endpoint, region, buckets } = given;
      const connection = { accountId, name, endpoint, region, buckets };
      const sealed = sealKeys(ring, connection, given.keys);
      return inTransaction(database, async (transaction): Promise<Connection> => {
        await hold(transaction);
        const put = await putConnection(transaction, connection, sealed);
        await onPut(transaction);
        return judged(ring, put);
      });
    },
    /** Throws Refusal NOT_FOUND. */
    delete: (accountId: string, name: string, hold: Step, onDeleted: Step) =>
      inTransaction(database, async (transaction) => {
        await hold(transaction);
        if (!(await deleteConnection(transaction, accountId, name))) throw noSuchConnection(name);
        await onDeleted(transaction);
      }),
    reach: (accountId: string, name: string) => reachStore({ database, keys }, accountId, name),
  };
}

function judged(ring: KeyRing | undefined, { sealedBy, ...shown }: StoredConnection): Connection {
  return { ...shown, isLost: sealedBy === null || !ring?.has(sealedBy) };
}

/** A store that an account's loads may read, with opened keys. */
export interface ReachedStore extends BucketStore {
  readonly buckets: readonly string[];
}

/** Returns the store of a connection. Throws Refusal VALIDATION_ERROR, or SERVICE_UNAVAILABLE without CERTIFICATE_KEYS. */
async function reachStore(
  { database, keys }: ConnectionsOptions,
  accountId: string,
  name: string,
): Promise<ReachedStore> {
  const ring = requireKeys(keys);
  const found = await getConnection(database, accountId, name);
  const { endpoint, region, buckets, secrets } = found;
  if (secrets === null) throw unusable(name, LOST);
  try {
    const { accessKeyId, secretAccessKey, sessionToken } = openKeys(ring, found, secrets);
    return {
      ...{ endpoint, region, buckets },
      accessKeyId: new Secret(accessKeyId),
      secretAccessKey: new Secret(secretAccessKey),
      sessionToken: sessionToken === null ? null : new Secret(sessionToken),
    };
  } catch (error) {
    if (error instanceof SealError) throw unusable(name, LOST);
    throw error;
  }
}

const LOST = 'has keys that can no longer be opened; set the connection again';

/** Checks that the connection exists and is for all of these buckets. Throws Refusal VALIDATION_ERROR. */
export async function requireBuckets(
  queryable: Queryable,
  accountId: string,
  name: string,
  buckets: Iterable<string>,
): Promise<void> {
  const own = (await getConnection(queryable, accountId, name)).buckets;
  for (const bucket of buckets) {
    if (!own.includes(bucket)) throw unusable(name, `is not for the bucket ${bucket}; add it to its buckets`);
  }
}

async function getConnection(queryable: Queryable, accountId: string, name: string) {
  const found = await findConnection(queryable, accountId, name);
  if (found === undefined) throw unusable(name, 'is not the name of a connection');
  return found;
}

function unusable(name: string, problem: string): Refusal {
  return invalidField('connection', name, problem);
}

function requireKeys(keys: KeyRing | undefined): KeyRing {
  if (keys !== undefined) return keys;
  const message =
    'Connections are off: the operator of this service has not set CERTIFICATE_KEYS for the API.';
  throw new Refusal('SERVICE_UNAVAILABLE', message);
}
