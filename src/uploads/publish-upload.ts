/** Makes a staged upload the content of its sitemap: one transaction, then a write of the site. */
import type { ChangeSite } from '../domains/domain.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { updateStoredBytes } from '../domains/stored-bytes-store.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { shownSitemapName, sitemapFileName } from '../sitemap/file-names.ts';
import { MAX_FILES_PER_INDEX } from '../sitemap/limits.ts';
import { addReplacedUpload, rescueFromGarbage } from '../sites/garbage-store.ts';
import { siteOrigin, uploadPrefix } from '../sites/site.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import type { EventData } from '../webhooks/events.ts';
import { type Allowance, refuseOverPlan } from './allowance.ts';
import { tooManyFiles } from './cut-files.ts';
import { refuseShrinking } from './guard.ts';
import { type FileTotals, type StagedFile, sumFiles } from './staging.ts';
import type { UploadDomain } from './upload-members.ts';
import {
  countLiveUrls,
  findLiveUploadId,
  insertUpload,
  keepLastModified,
  markReplaced,
  pointSitemapTo,
  sumOtherSitemaps,
  type UploadRow,
} from './upload-store.ts';

export interface PublishOptions {
  readonly changeSite: ChangeSite;
  readonly keepReplacedMs: number;
  readonly now: () => Date;
  /**
   * Throws Refusal when the account or the key is no longer valid. Other publishers of the account, and a revocation
   * of the key, wait until the transaction ends.
   */
  readonly holdCaller: (transaction: Transaction, uploader: Uploader) => Promise<void>;
  /** As in https://{hostname}. */
  readonly publicOrigin: string;
  /** What the customer should know of the hosts of the pages. Called when there may be something. */
  readonly takeWarnings: (transaction: Transaction, domainId: string) => Promise<readonly string[]>;
}

export interface Uploader {
  readonly accountId: string;
  readonly keyId: string;
  readonly allowance: Allowance;
}

/** What the client says about publishing. */
export interface PublishTerms {
  /** Publishes in spite of the domain's guard. */
  readonly force: boolean;
  /** The sitemap's generation that the upload may replace; 0: none. */
  readonly ifGeneration: number | undefined;
}

export interface StagedUpload {
  readonly uploadId: string;
  readonly files: readonly StagedFile[];
  /** Called just before COMMIT. From then on the files may be live, even if the answer to COMMIT is lost. */
  keep(): void;
}

export interface PublishedUpload extends FileTotals {
  /** Hosting serves a domain once it is verified. */
  readonly isServed: boolean;
  /**
   * What becomes of its changed URLs: it is compared with the upload that it replaced, or there is none. Undefined when
   * the domain does not submit.
   */
  readonly indexNow: 'pending' | 'skipped' | undefined;
  /** For people. */
  readonly warnings: readonly string[];
}

/**
 * All files of `staged` must be in object storage. A Refusal means that the upload is not published; a GuardRefusal, that it
 * would be with `force`. After any other error it may be live all the same, or go live later: the answer to COMMIT may be lost.
 */
export async function publishUpload(
  options: PublishOptions,
  uploader: Uploader,
  domain: UploadDomain,
  sitemapName: string,
  staged: StagedUpload,
  terms: PublishTerms,
): Promise<PublishedUpload> {
  const { uploadId: id, files } = staged;
  const totals = sumFiles(files);
  // Sitemaps, listings and HTTP dates show whole seconds.
  const publishedAt = new Date(Math.floor(options.now().getTime() / 1000) * 1000);
  const upload = { id, domainId: domain.id, sitemapName, files, totals, publishedAt };

  const state = await options.changeSite(
    domain,
    async (transaction) => {
      // Lock the account before the domain: each concurrent publisher sees what the ones before it have stored.
      await options.holdCaller(transaction, uploader);
      const locked = await lockDomain(transaction, domain.id);
      if (locked === undefined) {
        throw new Refusal('NOT_FOUND', `The domain ${domain.hostname} has been deleted.`);
      }
      if (!(await rescueFromGarbage(transaction, uploadPrefix(id)))) {
        throw new Error(`upload ${id} was collected before it was published`);
      }
      const { accountId, allowance } = uploader;
      const others = await sumOtherSitemaps(transaction, { accountId, domainId: domain.id, sitemapName });
      if (others.files + files.length > MAX_FILES_PER_INDEX) throw tooManyFiles();
      refuseOverPlan(allowance, others, totals.gzipBytes);
      if (!terms.force) {
        const formerUrlCount = await countLiveUrls(transaction, domain.id, sitemapName);
        const { urlCount } = totals;
        refuseShrinking({ sitemapName, formerUrlCount, urlCount }, locked.maxRemovedPercent);
      }

      const warnings = locked.hasWarnings ? await options.takeWarnings(transaction, domain.id) : [];
      await insertUpload(transaction, upload);
      const former = await findLiveUploadId(transaction, domain.id, sitemapName);
      if (former !== undefined) {
        await keepLastModified(transaction, id, former);
        await markReplaced(transaction, former);
        await addReplacedUpload(transaction, former, options.keepReplacedMs);
      }
      await pointSitemapTo(transaction, upload);
      await updateStoredBytes(transaction, domain.id);
      if (locked.hasWebhooks) {
        const event = describePublished(options.publicOrigin, domain, upload);
        await emitEvent(transaction, accountId, 'upload.published', event);
      }
      const { isServed, isIndexNowEnabled } = locked;
      const comparison = former === undefined ? 'skipped' : 'pending';
      return { isServed, warnings, indexNow: isIndexNowEnabled ? comparison : undefined } as const;
    },
    () => staged.keep(),
  );
  return { ...totals, ...state };
}

function describePublished(
  publicOrigin: string,
  { id: domainId, hostname }: UploadDomain,
  { id: uploadId, sitemapName, totals, publishedAt }: Omit<UploadRow, 'files'>,
): EventData['upload.published'] {
  const { urlCount, fileCount } = totals;
  return {
    ...{ domainId, domain: hostname, sitemapName: shownSitemapName(sitemapName) },
    ...{ uploadId, urlCount, fileCount },
    sitemapUrl: `${siteOrigin(publicOrigin, hostname)}/${sitemapFileName(sitemapName)}`,
    publishedAt: isoSeconds(publishedAt),
  };
}
