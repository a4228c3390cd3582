/** Removes one sitemap of a domain. Hosting stops serving it at once; its objects are deleted later. */
import type { ChangeSite } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { updateStoredBytes } from '../domains/stored-bytes-store.ts';
import { Refusal } from '../platform/refusal.ts';
import { addReplacedUpload } from '../sites/garbage-store.ts';
import type { UploadDomain } from './upload-members.ts';
import { deleteSitemapRow, findLiveUploadId, markReplaced, withdrawUploads } from './upload-store.ts';

export interface DeleteSitemapOptions {
  readonly changeSite: ChangeSite;
  readonly keepReplacedMs: number;
}

/** Throws Refusal NOT_FOUND. */
export async function deleteSitemap(
  options: DeleteSitemapOptions,
  domain: UploadDomain,
  sitemapName: string,
): Promise<void> {
  await options.changeSite(domain, async (transaction) => {
    await lockDomain(transaction, domain.id);
    const uploadId = await findLiveUploadId(transaction, domain.id, sitemapName);
    if (uploadId === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
    await deleteSitemapRow(transaction, domain.id, sitemapName);
    await markReplaced(transaction, uploadId);
    await withdrawUploads(transaction, domain.id, sitemapName);
    await addReplacedUpload(transaction, uploadId, options.keepReplacedMs);
    await updateStoredBytes(transaction, domain.id);
  });
}
