/**
 * Where the processes of a suite keep their objects: a folder below the suite's DATA_DIR, as all in one does, or
 * with SERVICE_STORAGE=s3 a bucket that belongs to that DATA_DIR.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'minio';
import { inject } from 'vitest';
import type { Environment } from './processes.ts';

const s3 = inject('serviceStore');

/** Whether the suite runs on S3, and then on separate processes instead of all in one. */
export const isOnS3 = s3 !== undefined;

/** The settings by which other processes share the store. */
export function storeSettings(dataDir: string): Environment {
  if (s3 === undefined) return { STORAGE_DIR: join(dataDir, 'objects') };
  return {
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: nameFor(dataDir),
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
  };
}

/** Makes the bucket, which nobody deletes: it ends with the store. */
export async function createStore(dataDir: string): Promise<void> {
  if (s3 === undefined) return;
  const [client, bucket] = [createClient(), nameFor(dataDir)];
  if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket);
}

/** The keys of all stored objects below `prefix`, as in uploads/, without that prefix. */
export async function storedObjects(dataDir: string, prefix: string): Promise<string[]> {
  const keys = s3 === undefined ? filesBelow(join(dataDir, 'objects', prefix)) : keysBelow(dataDir, prefix);
  return (await keys).sort();
}

/** Of an object that must be there, in a folder at least: an S3 store does not say. */
export async function removeStored(dataDir: string, key: string): Promise<void> {
  if (s3 === undefined) await rm(join(dataDir, 'objects', key));
  else await createClient().removeObject(nameFor(dataDir), key);
}

/** In place of what is there, if anything is. */
export async function writeStored(dataDir: string, key: string, content: string): Promise<void> {
  if (s3 === undefined) await writeFile(join(dataDir, 'objects', key), content);
  else await createClient().putObject(nameFor(dataDir), key, content);
}

/** What of `uploads/` is there: folders count too. */
export async function storedUploads(dataDir: string): Promise<string[]> {
  if (s3 === undefined) return (await readdir(join(dataDir, 'objects', 'uploads')).catch(() => [])).sort();
  return Array.from(new Set((await storedObjects(dataDir, 'uploads/')).map((key) => key.split('/')[0]!)));
}

/** Of the database and the bucket that belong to a DATA_DIR. */
export function nameFor(dataDir: string): string {
  return `waypost-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((entry) => entry.isFile());
  return files.map((file) => join(file.parentPath, file.name).slice(folder.length));
}

async function keysBelow(dataDir: string, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { name } of createClient().listObjectsV2(nameFor(dataDir), prefix, true)) {
    keys.push(name.slice(prefix.length));
  }
  return keys;
}

function createClient(): Client {
  const { endpoint, region, accessKey, secretKey } = s3!;
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
