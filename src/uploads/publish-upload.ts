/** Makes a staged upload the content of its sitemap. */
import { rescueFromGarbage } from '../sites/garbage-store.ts';
import { uploadPrefix } from '../sites/site.ts';
import type { Attempt } from './attempt.ts';
import { refuseShrinking } from './guard.ts';
import {
  type OnPublished,
  type PublishedUpload,
  type PublishOptions,
  type PublishTerms,
  publishGeneration,
  type Uploader,
} from './publish-generation.ts';
import { type StagedFile, sumFiles } from './staging.ts';
import type { UploadDomain } from './upload-members.ts';
import { insertUpload } from './upload-store.ts';

/** What the client says about publishing an upload. */
export interface UploadTerms extends PublishTerms {
  /** Publishes in spite of the domain's guard. */
  readonly force: boolean;
}

export interface PublishWatch {
  /** Undefined if it has been recorded. */
  readonly attempt?: Attempt | undefined;
  readonly onPublished?: OnPublished | undefined;
}

export interface StagedUpload {
  readonly uploadId: string;
  readonly files: readonly StagedFile[];
  /** Whether its prefix is in `garbage`. */
  readonly hasObjects: boolean;
  /** Called just before COMMIT. From then on the files may be live, even if the answer to COMMIT is lost. */
  keep(): void;
}

/**
 * All files of `staged` but the small ones must be in object storage. A Refusal means that the upload is not published; a
 * GuardRefusal, that it would be with `force`. After any other error it may be live all the same, or go live later: the
 * answer to COMMIT may be lost.
 */
export function publishUpload(
  options: PublishOptions,
  uploader: Uploader,
  domain: UploadDomain,
  sitemapName: string,
  staged: StagedUpload,
  terms: UploadTerms,
  { attempt, onPublished }: PublishWatch = {},
): Promise<PublishedUpload> {
  const { uploadId: id, files } = staged;
  const totals = sumFiles(files);
  return publishGeneration(options, uploader, domain, sitemapName, terms, {
    kind: 'upload',
    id,
    take: async (transaction) => {
      if (staged.hasObjects && !(await rescueFromGarbage(transaction, uploadPrefix(id)))) {
        throw new Error(`upload ${id} was collected before it was published`);
      }
      return totals;
    },
    judge: (former, maxRemovedPercent) => {
      if (terms.force) return;
      const { urlCount } = totals;
      refuseShrinking({ sitemapName, formerUrlCount: former?.urlCount ?? 0, urlCount }, maxRemovedPercent);
    },
    insert: (transaction, row) => insertUpload(transaction, row, files, attempt?.publish(row.seq)),
    onPublished,
    beforeCommit: () => staged.keep(),
  });
}
