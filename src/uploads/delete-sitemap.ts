/** Removes one sitemap of a domain: it stops being served at once, its objects go later. */
import { inTransaction } from '../platform/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { enqueuePublishSite } from '../sites/publish-site.ts';
import { uploadPrefix } from '../sites/site.ts';
import { raiseGeneration } from '../sites/site-store.ts';
import type { PublishParts } from './publish-upload.ts';
import type { UploadDomain } from './upload-members.ts';
import { deleteSitemapRow, findLiveUploadId, lockDomain, markReplaced } from './upload-store.ts';

/** Throws Refusal NOT_FOUND. */
export async function deleteSitemap(
  parts: PublishParts,
  domain: UploadDomain,
  sitemapName: string,
): Promise<void> {
  await inTransaction(parts.database, async (transaction) => {
    await lockDomain(transaction, domain.id);
    const uploadId = await findLiveUploadId(transaction, domain.id, sitemapName);
    if (uploadId === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
    await deleteSitemapRow(transaction, domain.id, sitemapName);
    await markReplaced(transaction, uploadId);
    await addGarbage(transaction, [uploadPrefix(uploadId)], parts.keepReplacedMs);
    await raiseGeneration(transaction, domain.id);
    await enqueuePublishSite(transaction, domain.hostname);
  });
  await parts.writeSite(domain.hostname);
}
