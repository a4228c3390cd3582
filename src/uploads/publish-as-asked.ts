/** Publishes a staged upload, tries to, or holds it back, as its client and the guard of its domain want. */
import type { Turns } from '../platform/concurrency/turns.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createTryChange } from '../sites/try-change.ts';
import { GuardRefusal } from './guard.ts';
import { holdUpload } from './hold-upload.ts';
import type { PublishedUpload, PublishOptions, Uploader } from './publish-generation.ts';
import type { GroupMember } from './publish-group.ts';
import type { PublishSmall } from './publish-in-groups.ts';
import { type PublishWatch, publishUpload } from './publish-upload.ts';
import type { Staging } from './staging.ts';
import type { CompleteMembers } from './upload-members.ts';

export interface PublishAsAskedOptions extends PublishOptions {
  readonly database: Database;
  readonly publishSmall: PublishSmall;
  /** Those of one account wait for each other, each on a connection to Postgres. */
  readonly publishTurns: Turns;
}

export async function publishAsAsked(
  options: PublishAsAskedOptions,
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
  const publish = (how: PublishOptions, watched?: PublishWatch) =>
    options.publishTurns.run(uploader.accountId, () =>
      publishUpload(how, uploader, domain, sitemapName, staged, terms, watched),
    );
  if (dryRun) {
    // Nothing is recorded of it in the transaction, which is taken back.
    return publish({ ...options, changeSite: createTryChange(options.database) });
  }
  try {
    const small = smallUpload(uploader, members, staged, watch);
    if (small !== undefined) return await options.publishSmall(small);
    return await publish(options, watch);
  } catch (error) {
    if (!(error instanceof GuardRefusal)) throw error;
    const upload = {
      ...{ accountId: uploader.accountId, domainId: domain.id, hostname: domain.hostname },
      ...{ sitemapName, pingSearch, rejected: rejected ?? null },
    };
    throw await holdUpload(options.database, upload, staged, error, watch.attempt);
  }
}

/** Undefined unless it can be published in a group. */
function smallUpload(
  { keyId, ...uploader }: Uploader,
  { domain, sitemapName, ...terms }: CompleteMembers,
  { uploadId, files }: Staging,
  { attempt, onPublished }: PublishWatch,
): GroupMember | undefined {
  const isSmall = files.every(({ content }) => content !== undefined);
  if (!isSmall || keyId === null || attempt === undefined) return undefined;
  return {
    uploader: { ...uploader, keyId },
    domain,
    sitemapName,
    uploadId,
    files,
    terms,
    attempt,
    onPublished,
  };
}
