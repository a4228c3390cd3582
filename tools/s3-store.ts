/**
 * Finds the S3 store for tests. S3_TEST_ENDPOINT, S3_TEST_REGION, S3_TEST_BUCKET, S3_TEST_ACCESS_KEY and S3_TEST_SECRET_KEY name it.
 * Without S3_TEST_ENDPOINT, this file starts Debian's radosgw, if it is installed.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'minio';
import { environment } from '../src/platform/process/environment.ts';
import { Secret } from '../src/platform/secret.ts';
import type { S3Options } from '../src/platform/storage/s3-storage.ts';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const START = fileURLToPath(new URL('./start-radosgw.sh', import.meta.url));

export interface S3Store extends AsyncDisposable {
  readonly options: S3Options;
  /** The configuration for radosgw-admin, if we started the store. */
  readonly cephConf?: string;
}

/** Returns the settings of a process that stores its objects in this store. */
export const settingsOfS3 = (options: S3Options): Record<string, string> => ({
  S3_ENDPOINT: options.endpoint,
  S3_REGION: options.region,
  S3_BUCKET: options.bucket,
  S3_ACCESS_KEY: options.accessKey.reveal(),
  S3_SECRET_KEY: options.secretKey.reveal(),
});

/** Returns undefined if there is no S3 store. */
export async function findS3Store(): Promise<S3Store | undefined> {
  const { S3_TEST_ENDPOINT: endpoint, S3_TEST_REGION: region = 'us-east-1', ...rest } = environment();
  if (endpoint === undefined) return (await isInstalled('radosgw')) ? startRadosgw() : undefined;
  const { S3_TEST_BUCKET: bucket = '', S3_TEST_ACCESS_KEY = '', S3_TEST_SECRET_KEY = '' } = rest;
  const keys = { accessKey: new Secret(S3_TEST_ACCESS_KEY), secretKey: new Secret(S3_TEST_SECRET_KEY) };
  return { options: { endpoint, region, bucket, ...keys }, [Symbol.asyncDispose]: async () => {} };
}

async function startRadosgw(): Promise<S3Store> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-s3-'));
  const [port, monitorPort] = [await freePort(), await freePort()];
  const [accessKey, secretKey, bucket] = ['testaccess', 'testsecret', 'waypost-test'];
  const store = new AsyncDisposableStack();
  store.defer(() => stopRadosgw(folder));
  try {
    await run('bash', [START, folder, String(port), String(monitorPort), accessKey, secretKey]);
    const client = new Client({ endPoint: '127.0.0.1', port, useSSL: false, accessKey, secretKey });
    await client.makeBucket(bucket);
  } catch (error) {
    const log = await readFile(join(folder, 'log', 'start'), 'utf8').catch(() => 'no log');
    await store.disposeAsync();
    throw new Error(`radosgw did not start: ${log.slice(-2000)}`, { cause: error });
  }
  return {
    options: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket,
      accessKey: new Secret(accessKey),
      secretKey: new Secret(secretKey),
    },
    cephConf: join(folder, 'ceph.conf'),
    [Symbol.asyncDispose]: () => store.disposeAsync(),
  };
}

async function stopRadosgw(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, 'run'))) {
    if (name.endsWith('.pid')) process.kill(Number(await readFile(join(folder, 'run', name))), 'SIGKILL');
  }
  await rm(folder, { recursive: true });
}

async function isInstalled(program: string): Promise<boolean> {
  return run('which', [program]).then(
    () => true,
    () => false,
  );
}
