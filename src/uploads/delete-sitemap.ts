/** Removes one sitemap of a domain: it stops being served at once, its objects go later. */
import { type Database, inTransaction } from '../platform/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { addReplacedUpload } from '../sites/garbage-store.ts';
import { enqueuePublishSite } from '../sites/publish-site.ts';
import { raiseGeneration } from '../sites/site-store.ts';
import type { UploadDomain } from './upload-members.ts';
import {
  deleteSitemapRow,
  findLiveUploadId,
  lockDomain,
  markReplaced,
  updateStoredBytes,
  withdrawUploads,
} from './upload-store.ts';

export interface SitemapDeletion {
  readonly database: Database;
  readonly writeSite: (hostname: string) => Promise<unknown>;
  readonly keepReplacedMs: number;
}

/** Throws Refusal NOT_FOUND. */
export async function deleteSitemap(
  parts: SitemapDeletion,
  domain: UploadDomain,
  sitemapName: string,
): Promise<void> {
  await inTransaction(parts.database, async (transaction) => {
    await lockDomain(transaction, domain.id);
    const uploadId = await findLiveUploadId(transaction, domain.id, sitemapName);
    if (uploadId === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
    await deleteSitemapRow(transaction, domain.id, sitemapName);
    await markReplaced(transaction, uploadId);
    await withdrawUploads(transaction, domain.id, sitemapName);
    await addReplacedUpload(transaction, uploadId, parts.keepReplacedMs);
    await updateStoredBytes(transaction, domain.id);
    await raiseGeneration(transaction, domain.id);
    await enqueuePublishSite(transaction, domain.hostname);
  });
  await parts.writeSite(domain.hostname);
}
