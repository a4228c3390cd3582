/** Makes a staged upload the content of its sitemap: one transaction, then the site. */
import { type Database, inTransaction } from '../platform/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { MAX_FILES_PER_INDEX } from '../sitemap/limits.ts';
import { addGarbage, rescueFromGarbage } from '../sites/garbage-store.ts';
import { enqueuePublishSite } from '../sites/publish-site.ts';
import { uploadPrefix } from '../sites/site.ts';
import { raiseGeneration } from '../sites/site-store.ts';
import { tooManyFiles } from './cut-files.ts';
import type { StagedFile } from './staging.ts';
import type { UploadDomain } from './upload-members.ts';
import {
  countOtherFiles,
  findLiveUploadId,
  insertUpload,
  keepLastModified,
  lockDomain,
  markReplaced,
  pointSitemapTo,
} from './upload-store.ts';

export interface PublishParts {
  readonly database: Database;
  readonly writeSite: (hostname: string) => Promise<unknown>;
  readonly keepReplacedMs: number;
  readonly now: () => Date;
}

export interface StagedUpload {
  readonly uploadId: string;
  readonly files: readonly StagedFile[];
  /** Called just before COMMIT: from then on the files may be live, whatever is heard of it. */
  keep(): void;
}

/**
 * Everything of `staged` must be in object storage. When this throws an Error the upload may be published
 * nevertheless, or be published later (the answer to COMMIT may be lost); a Refusal means that it is not.
 */
export async function publishUpload(
  parts: PublishParts,
  domain: UploadDomain,
  sitemapName: string,
  staged: StagedUpload,
): Promise<{ urlCount: number }> {
  const { uploadId: id, files } = staged;
  const urlCount = files.reduce((sum, file) => sum + file.entries, 0);
  // Whole seconds: this is what sitemaps, listings and HTTP dates show.
  const publishedAt = new Date(Math.floor(parts.now().getTime() / 1000) * 1000);
  const upload = { id, domainId: domain.id, sitemapName, urlCount, files, publishedAt };

  await inTransaction(parts.database, async (transaction) => {
    if (!(await lockDomain(transaction, domain.id))) {
      throw new Refusal('NOT_FOUND', `The domain ${domain.hostname} has been deleted.`);
    }
    if (!(await rescueFromGarbage(transaction, uploadPrefix(id)))) {
      throw new Error(`upload ${id} was collected before it was published`);
    }
    const otherFiles = await countOtherFiles(transaction, domain.id, sitemapName);
    if (otherFiles + files.length > MAX_FILES_PER_INDEX) throw tooManyFiles();

    await insertUpload(transaction, upload);
    const former = await findLiveUploadId(transaction, domain.id, sitemapName);
    if (former !== undefined) {
      await keepLastModified(transaction, id, former);
      await markReplaced(transaction, former);
      await addGarbage(transaction, [uploadPrefix(former)], parts.keepReplacedMs);
    }
    await pointSitemapTo(transaction, upload);
    await raiseGeneration(transaction, domain.id);
    await enqueuePublishSite(transaction, domain.hostname);
    staged.keep();
  });
  await parts.writeSite(domain.hostname);
  return { urlCount };
}
