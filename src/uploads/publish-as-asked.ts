/** Publishes a staged upload, tries to, or holds it back, as its client and the guard of its domain want. */
import type { Database } from '../platform/postgres/database.ts';
import { createTryChange } from '../sites/try-change.ts';
import { GuardRefusal } from './guard.ts';
import { holdUpload } from './hold-upload.ts';
import type { PublishedUpload, PublishOptions, Uploader } from './publish-generation.ts';
import { type PublishWatch, publishUpload } from './publish-upload.ts';
import type { Staging } from './staging.ts';
import type { CompleteMembers } from './upload-members.ts';

export async function publishAsAsked(
  options: PublishOptions & { readonly database: Database },
  uploader: Uploader,
  members: CompleteMembers,
  staged: Staging,
  {
    dryRun,
    rejected,
    ...watch
  }: PublishWatch & { readonly dryRun: boolean; readonly rejected: number | undefined },
): Promise<PublishedUpload> {
  const { domain, sitemapName, pingSearch, ...terms } = members;
  if (dryRun) {
    // Nothing is recorded of it in the transaction, which is taken back.
    const changeSite = createTryChange(options.database);
    return publishUpload({ ...options, changeSite }, uploader, domain, sitemapName, staged, terms);
  }
  try {
    return await publishUpload(options, uploader, domain, sitemapName, staged, terms, watch);
  } catch (error) {
    if (!(error instanceof GuardRefusal)) throw error;
    const upload = {
      ...{ accountId: uploader.accountId, domainId: domain.id, hostname: domain.hostname },
      ...{ sitemapName, pingSearch, rejected: rejected ?? null },
    };
    throw await holdUpload(options.database, upload, staged, error);
  }
}
