/** A database and a bucket for one test, or a folder in its place, without proxies. */
import { randomBytes } from 'node:crypto';
import { Client } from 'minio';
import { inject } from 'vitest';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { openFolderStorage } from '../../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../../src/platform/storage/object-storage.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import type { Environment } from '../../service/support/processes.ts';
import { createFolder } from '../../service/support/waypost.ts';
import { borrow } from '../../support/borrow.ts';
import { collect } from '../../support/collect.ts';
import { createPatientPool } from '../../support/patient-pool.ts';
import { databaseUrl, TEMPLATE } from '../../support/postgres-server.ts';

/** FAULTS_STORE=folder: the sweeps of the service use a folder in place of S3. Its calls cannot be broken. */
export const isOnFolder = process.env.FAULTS_STORE === 'folder';

export interface OwnStores {
  /** The name of both the database and the bucket. */
  readonly name: string;
  /** The server on which databases and roles are created. */
  readonly server: Database;
  readonly databaseUrl: Secret;
  readonly database: Database;
  readonly s3Url: URL;
  readonly storage: ObjectStorage;
  /** The processes' settings for the bucket, without S3_ENDPOINT. */
  readonly s3Settings: Environment;
}

/** The scope removes both at its end. */
export async function openOwnStores(scope: AsyncDisposableStack): Promise<OwnStores> {
  const serverUrl = new Secret(await borrow('postgres'));
  const { endpoint, region, accessKey, secretKey } = inject('s3');
  const name = `faults${randomBytes(6).toString('hex')}`;

  const server = createPatientPool(serverUrl, 1);
  scope.defer(() => server.end());
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  scope.defer(async () => void (await server.query(`DROP DATABASE ${name} WITH (FORCE)`)));
  const ownUrl = databaseUrl(serverUrl.reveal(), name);
  const database = createPatientPool(ownUrl, 4);
  scope.defer(() => database.end());

  const s3Url = new URL(endpoint);
  const client = new Client({
    endPoint: s3Url.hostname,
    port: Number(s3Url.port),
    useSSL: false,
    accessKey,
    secretKey,
  });
  await client.makeBucket(name, region);
  const keys = { accessKey: new Secret(accessKey), secretKey: new Secret(secretKey) };
  const storage = scope.use(createS3Storage({ endpoint, region, bucket: name, ...keys }));
  scope.defer(async () => {
    await storage.deleteMany(await storedKeys(storage));
    await client.removeBucket(name);
  });
  const s3Settings = {
    S3_BUCKET: name,
    S3_REGION: region,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
  };
  return { name, server, databaseUrl: ownUrl, database, s3Url, storage, s3Settings };
}

/** An empty folder that several processes share. The scope removes it. */
export async function openOwnFolder(
  scope: AsyncDisposableStack,
): Promise<{ readonly storage: ObjectStorage; readonly settings: Environment }> {
  const { path } = scope.use(await createFolder());
  return { storage: await openFolderStorage(path), settings: { STORAGE_DIR: path } };
}

export async function storedKeys(storage: ObjectStorage, prefix = ''): Promise<string[]> {
  return (await collect(storage.list(prefix))).map(({ key }) => key).sort();
}
