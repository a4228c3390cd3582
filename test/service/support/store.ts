/**
 * The objects of a suite's processes: a folder below the suite's DATA_DIR, as in all in one, or with SERVICE_STORAGE=s3
 * a bucket of that DATA_DIR.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Client } from 'minio';
import { inject } from 'vitest';
import { isS3Wanted } from '../../support/not-on-s3.ts';
import type { Environment } from './processes.ts';

/** True if the suite runs on S3, and then on separate processes in place of all in one. */
export const isOnS3 = isS3Wanted;

const theStore = () => inject('serviceStore')!;

/** The settings for other processes that share the store. */
export function storeSettings(dataDir: string): Environment {
  if (!isOnS3) return { STORAGE_DIR: join(dataDir, 'objects') };
  const s3 = theStore();
  return {
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: nameFor(dataDir),
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
  };
}

/** Creates the bucket. Nobody deletes it: it ends with the store. */
export async function createStore(dataDir: string): Promise<void> {
  if (!isOnS3) return;
  const [client, bucket] = [createClient(), nameFor(dataDir)];
  if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket);
}

/** The keys of all objects below `prefix` (as in uploads/), without the prefix. */
export async function storedObjects(dataDir: string, prefix: string): Promise<string[]> {
  const keys = isOnS3 ? keysBelow(dataDir, prefix) : filesBelow(join(dataDir, 'objects', prefix));
  return (await keys).sort();
}

/** Removes an object that must exist. Only a folder reports a missing one: S3 does not. */
export async function removeStored(dataDir: string, key: string): Promise<void> {
  if (!isOnS3) await rm(join(dataDir, 'objects', key));
  else await createClient().removeObject(nameFor(dataDir), key);
}

/** Reads an object that must exist. */
export async function readStored(dataDir: string, key: string): Promise<Buffer> {
  if (!isOnS3) return readFile(join(dataDir, 'objects', key));
  return buffer(await createClient().getObject(nameFor(dataDir), key));
}

/** Writes an object, or replaces it. */
export async function writeStored(dataDir: string, key: string, content: string | Buffer): Promise<void> {
  const path = join(dataDir, 'objects', key);
  if (!isOnS3) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  } else await createClient().putObject(nameFor(dataDir), key, content);
}

/**
 * The uploads with files in the store. Empty folders count too. Uploads of small files alone are left out: after a while they
 * have a comparison there.
 */
export async function storedUploads(dataDir: string): Promise<string[]> {
  const names = isOnS3 ? namesInBucket(dataDir) : namesInFolders(dataDir);
  const uploads = [...(await names)].filter(([, own]) => own.length === 0 || !own.every(isComparison));
  return uploads.map(([upload]) => upload).sort();
}

const isComparison = (name: string) => name.startsWith('changes-');

async function namesInFolders(dataDir: string): Promise<Map<string, string[]>> {
  const folder = join(dataDir, 'objects', 'uploads');
  const names = new Map<string, string[]>();
  for (const upload of await readdir(folder).catch(() => [])) {
    // Undefined: it is deleted meanwhile.
    const own = await readdir(join(folder, upload)).catch(() => undefined);
    if (own !== undefined) names.set(upload, own);
  }
  return names;
}

async function namesInBucket(dataDir: string): Promise<Map<string, string[]>> {
  const keys = (await storedObjects(dataDir, 'uploads/')).map((key) => key.split('/'));
  const names = new Map<string, string[]>();
  for (const [upload, name] of keys) names.set(upload!, [...(names.get(upload!) ?? []), name!]);
  return names;
}

/** The name of the database and the bucket of a DATA_DIR. */
export function nameFor(dataDir: string): string {
  return `waypost-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
}

async function filesBelow(folder: string): Promise<string[]> {
  while (existsSync(folder)) {
    // Rejects when a folder in it is removed meanwhile, as discarded uploads are.
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = found?.filter((entry) => entry.isFile());
    if (files) return files.map((file) => join(file.parentPath, file.name).slice(folder.length));
  }
  return [];
}

async function keysBelow(dataDir: string, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { name } of createClient().listObjectsV2(nameFor(dataDir), prefix, true)) {
    keys.push(name.slice(prefix.length));
  }
  return keys;
}

function createClient(): Client {
  const { endpoint, region, accessKey, secretKey } = theStore();
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  return new Client({
    endPoint: hostname,
    port: Number(port) || (useSSL ? 443 : 80),
    useSSL,
    region,
    accessKey,
    secretKey,
  });
}
