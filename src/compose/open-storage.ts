/** Opens the object storage that the configuration names. */
import type { Config } from '../core/config/config.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { makePrivateFolder } from '../platform/process/private-file.ts';
import { awaitFolderStorage, openFolderStorage } from '../platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';

/**
 * Opens the folder or the S3 store that the configuration names; it names exactly one of them. `open` opens the folder. Throws ConfigError.
 */
export async function openStorage(
  config: Config,
  scope: AsyncDisposableStack,
  open = openFolderStorage,
): Promise<ObjectStorage> {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, S3_TIMEOUT_MS, STORAGE_DIR } =
    config;
  if ((STORAGE_DIR === undefined) === (S3_ENDPOINT === undefined)) {
    throw new ConfigError('Set either STORAGE_DIR or S3_ENDPOINT: one object storage for all processes.');
  }
  if (STORAGE_DIR !== undefined) return namingVariable('STORAGE_DIR', () => open(STORAGE_DIR));
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

/** Opens the storage of hosting, which API and jobs fill. Hosting makes no folder: an empty one says 404 for all that crawlers know. */
export function openFilledStorage(config: Config, scope: AsyncDisposableStack): Promise<ObjectStorage> {
  return openStorage(config, scope, awaitFolderStorage);
}

/** Opens the storage of the all-in-one program. Other users of the machine cannot read it. Throws ConfigError. */
export function openOwnFolder(folder: string, variable: string): Promise<ObjectStorage> {
  return namingVariable(variable, async () => {
    await makePrivateFolder(folder);
    return openFolderStorage(folder);
  });
}

export function openFolder(folder: string, variable: string): Promise<ObjectStorage> {
  return namingVariable(variable, () => openFolderStorage(folder));
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
