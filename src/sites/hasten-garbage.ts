/**
 * Bounds what an account's replaced uploads take in object storage while they are kept for crawlers. Without it, an
 * account that uploads again and again fills the store within KEEP_REPLACED_MS.
 */
import { type Database, inTransaction } from '../platform/postgres/database.ts';
import { recordChange } from './change-site.ts';
import { hastenUploads, listExcessUploads } from './garbage-store.ts';

/** Long enough for the sites to be written without them: a crawler then gets 404, and never a file that is gone. */
const HASTE_MS = 5 * 60_000;

export interface HastenGarbageOptions {
  readonly database: Database;
  /** By plan: the gzip bytes of replaced uploads that an account may keep. */
  readonly replacedBytes: Readonly<Record<string, number>>;
}

/** Makes the oldest of what is beyond that due in some minutes, and has the sites written that may name it. */
export async function hastenGarbage({ database, replacedBytes }: HastenGarbageOptions): Promise<void> {
  const excess = await listExcessUploads(database, replacedBytes, HASTE_MS);
  for (const [domainId, uploads] of Map.groupBy(excess, (upload) => upload.domainId)) {
    await inTransaction(database, async (transaction) => {
      if (domainId !== null) {
        // This locks the domain's row first, as publishers do.
        await recordChange(transaction, { id: domainId, hostname: uploads[0]!.hostname! });
      }
      const prefixes = uploads.map(({ prefix }) => prefix);
      await hastenUploads(transaction, prefixes, HASTE_MS);
    });
  }
}
