/** Opens the object storage that the configuration names. */
import type { Config } from '../core/config/config.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { makePrivateFolder } from '../platform/process/private-file.ts';
import { awaitFolderStorage, openFolderStorage } from '../platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';

/**
 * Opens the folder or the S3 store that the configuration names; it names exactly one of them. Makes no folder: without objects, hosting
 * says 404 for all that crawlers know. Throws ConfigError.
 */
export async function openStorage(config: Config, scope: AsyncDisposableStack): Promise<ObjectStorage> {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, S3_TIMEOUT_MS, STORAGE_DIR } =
    config;
  if ((STORAGE_DIR === undefined) === (S3_ENDPOINT === undefined)) {
    throw new ConfigError('Set either STORAGE_DIR or S3_ENDPOINT: one object storage for all processes.');
  }
  if (STORAGE_DIR !== undefined) return openFolder(STORAGE_DIR, 'STORAGE_DIR');
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY || !S3_SECRET_KEY) {
    throw new ConfigError(
      'With S3_ENDPOINT set, S3_BUCKET, S3_ACCESS_KEY and S3_SECRET_KEY must be set too.',
    );
  }
  // The import of the S3 client takes a fifth of the command line's start. A store in a folder does not need it.
  const { createS3Storage } = await import('../platform/storage/s3-storage.ts');
  return scope.use(
    createS3Storage(
      {
        endpoint: S3_ENDPOINT,
        region: S3_REGION,
        bucket: S3_BUCKET,
        accessKey: S3_ACCESS_KEY,
        secretKey: S3_SECRET_KEY,
      },
      { attemptTimeoutMs: S3_TIMEOUT_MS, stallTimeoutMs: S3_TIMEOUT_MS },
    ),
  );
}

/** Makes the folder of a new all-in-one program. Other users of the machine cannot read it. Throws ConfigError. */
export async function makeOwnFolder(folder: string, variable: string): Promise<void> {
  await namingVariable(variable, async () => {
    await makePrivateFolder(folder);
    await openFolderStorage(folder);
  });
}

export function openFolder(folder: string, variable: string): Promise<ObjectStorage> {
  return namingVariable(variable, () => awaitFolderStorage(folder));
}

/** Makes the folder of a new store, if the configuration names a folder. A bucket must exist already. Throws ConfigError. */
export async function makeStorage({ STORAGE_DIR }: Config): Promise<void> {
  if (STORAGE_DIR !== undefined) await namingVariable('STORAGE_DIR', () => openFolderStorage(STORAGE_DIR));
}

async function namingVariable<Result>(variable: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (cause) {
    throw new ConfigError(
      `${variable} cannot be written to. Make it writable, or set it to another folder.`,
      {
        cause,
      },
    );
  }
}
