/** Opens stagings on the process's database and object storage. */
import { Turns } from '../../platform/concurrency/turns.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { addGarbage, rescueFromGarbage } from '../sites/garbage-store.ts';
import { uploadPrefix } from '../sites/site.ts';
import { Staging, type StagingOptions } from './staging.ts';
import { StagingRoom } from './staging-room.ts';

/** The most concurrent puts of all accounts. They take half of the connections to S3. The other half is for writing sites. */
const MAX_PUTS_IN_ALL = 32;
/** Every upload takes less than 24 hours. So a prefix that is in `garbage` for longer belongs to an abandoned upload. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

export interface OpenStagingOptions {
  readonly hashSeed: bigint;
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'putNew' | 'deleteMany'>;
  readonly log: Log;
  /** Work that continues after the answer. The process waits for it before it exits. */
  readonly underWay: Set<Promise<unknown>>;
}

/** A staging that writes some files of an upload whose prefix is in `garbage` already. */
export interface PartialStaging {
  readonly nextNumber: () => Promise<number>;
  /** Called when all objects of the staging are deleted. */
  readonly discarded: () => Promise<void>;
}

/** `isDry` says whether the upload is a dry run, which stores no file. It is called before each put and each deletion. */
export type OpenStaging = (
  accountId: string,
  uploadId: string,
  isDry: () => boolean,
  partial?: PartialStaging,
) => Staging;

/** Accounts take turns with their puts, so an account with many files does not hold up the others. */
export function createOpenStaging({
  database,
  storage,
  log,
  underWay,
  hashSeed,
}: OpenStagingOptions): OpenStaging {
  const puts = new Turns(MAX_PUTS_IN_ALL);
  const room = new StagingRoom();
  return (accountId, uploadId, isDry, partial) =>
    new Staging(uploadId, {
      ...{ hashSeed, accountId, room },
      storage: {
        putNew: async (key, parts) => {
          if (!isDry()) await puts.run(accountId, () => storage.putNew(key, parts));
        },
        deleteMany: async (keys) => {
          if (!isDry()) await storage.deleteMany(keys);
        },
      },
      ...reservation(database, partial),
      onLeftBehind: (error, id) => log.warn({ err: error, uploadId: id }, 'staged files left to the sweep'),
      inBackground: (work) => {
        underWay.add(work);
        void work.finally(() => underWay.delete(work));
      },
    });
}

/**
 * Returns the functions that add the prefix of a staging to `garbage` and remove it from there. The prefix of a partial staging is in
 * `garbage` already, and stays there.
 */
export function reservation(
  database: Database,
  partial: PartialStaging | undefined,
): Pick<StagingOptions, 'reserve' | 'release' | 'nextNumber'> {
  if (partial !== undefined) {
    return { reserve: async () => {}, release: partial.discarded, nextNumber: partial.nextNumber };
  }
  return {
    reserve: (id) => addGarbage(database, [uploadPrefix(id)], ABANDONED_AFTER_MS),
    release: async (id) => void (await rescueFromGarbage(database, uploadPrefix(id))),
  };
}
