/**
 * Opens the stores of a test in any process: all settings are plain. A forked process is not Vitest's, so nothing here may
 * load what Vitest provides.
 */
import { createLog } from '../../../src/platform/log.ts';
import { createDatabasePool, type Database } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import type { ObjectStorage } from '../../../src/platform/storage/object-storage.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';

export interface StoreSettings {
  readonly databaseUrl: string;
  readonly s3: {
    readonly endpoint: string;
    readonly region: string;
    readonly bucket: string;
    readonly accessKey: string;
    readonly secretKey: string;
  };
}

/** A call that hangs is given up soon. */
export const CALL_TIMEOUT_MS = 1000;
const S3_DEADLINES = { attemptTimeoutMs: CALL_TIMEOUT_MS, stallTimeoutMs: CALL_TIMEOUT_MS };

export interface OpenStores extends AsyncDisposable {
  readonly database: Database;
  readonly storage: ObjectStorage;
}

export function openStores({ databaseUrl, s3 }: StoreSettings): OpenStores {
  const database = createDatabasePool(new Secret(databaseUrl), 4, createLog('faults', 'silent'));
  const secrets = { accessKey: new Secret(s3.accessKey), secretKey: new Secret(s3.secretKey) };
  const storage = createS3Storage({ ...s3, ...secrets }, S3_DEADLINES);
  return {
    ...{ database, storage },
    async [Symbol.asyncDispose]() {
      storage[Symbol.dispose]();
      await database.end();
    },
  };
}
