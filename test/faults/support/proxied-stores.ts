/** A database and a bucket of a test, with and without proxies that break calls. All settings are plain, so another process can use them. */
import { createLog } from '../../../src/platform/log.ts';
import { createDatabasePool, type Database } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import type { ObjectStorage } from '../../../src/platform/storage/object-storage.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { type OwnStores, openOwnStores } from './own-stores.ts';

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

export interface ProxiedStores extends OwnStores {
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  readonly direct: StoreSettings;
  readonly throughProxies: StoreSettings;
}

/** A call that hangs is given up soon. */
export const CALL_TIMEOUT_MS = 1000;
const S3_DEADLINES = { attemptTimeoutMs: CALL_TIMEOUT_MS, stallTimeoutMs: CALL_TIMEOUT_MS };

export async function openProxiedStores(scope: AsyncDisposableStack): Promise<ProxiedStores> {
  const own = await openOwnStores(scope);
  const address = new URL(own.databaseUrl.reveal());
  const { s3Url, s3Settings } = own;
  const postgres = scope.use(await startFaultProxy({ port: Number(address.port), protocol: 'postgres' }));
  const s3 = scope.use(
    await startFaultProxy({ port: Number(s3Url.port), host: s3Url.hostname, protocol: 'http' }),
  );
  const direct: StoreSettings = {
    databaseUrl: address.href,
    s3: {
      endpoint: s3Url.origin,
      region: s3Settings.S3_REGION!,
      bucket: s3Settings.S3_BUCKET!,
      accessKey: s3Settings.S3_ACCESS_KEY!,
      secretKey: s3Settings.S3_SECRET_KEY!,
    },
  };
  const throughProxies: StoreSettings = {
    databaseUrl: Object.assign(new URL(address), { port: postgres.port }).href,
    s3: { ...direct.s3, endpoint: `http://127.0.0.1:${s3.port}` },
  };
  return { ...own, postgres, s3, direct, throughProxies };
}

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
