/** Publishes a staged upload, only tries it (a dry run), or holds it if the guard of its domain refuses it. */
import type { Turns } from '../../../platform/concurrency/turns.ts';
import type { Attempt } from '../attempt.ts';
import type { ContentPrint } from '../content-print.ts';
import { GuardRefusal } from '../guard.ts';
import type { Staging } from '../staging.ts';
import type { CompleteMembers } from '../upload-members.ts';
import { holdUpload } from './hold-upload.ts';
import type { OnPublished, PublishedUpload, PublishOptions, Uploader } from './publication.ts';
import { publishAlone, tryToPublish } from './publish-alone.ts';
import type { PublishSmall } from './publish-in-groups.ts';
import { type SmallUpload, smallUpload } from './small-upload.ts';
import { stagedUpload } from './staged-upload.ts';

export interface PublishAsAskedOptions extends PublishOptions {
  readonly publishSmall: PublishSmall;
  /**
   * Publications of one account wait for each other, and each takes a connection to Postgres. So accounts take turns.
   */
  readonly publishTurns: Turns;
}

export interface PublishWatch {
  readonly attempt: Attempt;
  readonly onPublished: OnPublished;
}

export async function publishAsAsked(
  options: PublishAsAskedOptions,
  uploader: Uploader,
  { domain, sitemapName, pingSearch, ...terms }: CompleteMembers,
  staged: Staging,
  print: ContentPrint,
  {
    dryRun,
    rejected,
    attempt,
    onPublished,
  }: PublishWatch & { readonly dryRun: boolean; readonly rejected: number | undefined },
): Promise<PublishedUpload> {
  const { accountId } = uploader;
  const inTurn = (publish: () => Promise<PublishedUpload>) => options.publishTurns.run(accountId, publish);
  const { uploadId, files, hasObjects } = staged;
  const upload = { uploadId, files, print, hasObjects, keep: () => staged.keep() };
  const asked = { uploader, domain, sitemapName, terms };
  if (dryRun) return inTurn(() => tryToPublish(options, stagedUpload(asked, upload)));
  const recorded = { ...asked, attempt, onPublished };
  try {
    if (hasKey(uploader) && files.every(({ content }) => content !== undefined)) {
      return await options.publishSmall(smallUpload({ ...recorded, id: uploadId, uploader }, files, print));
    }
    return await inTurn(() => publishAlone(options, stagedUpload(recorded, upload)));
  } catch (error) {
    if (!(error instanceof GuardRefusal)) throw error;
    const held = {
      accountId,
      domainId: domain.id,
      hostname: domain.hostname,
      sitemapName,
      pingSearch,
      rejected: rejected ?? null,
      print,
    };
    throw await holdUpload(options.database, held, staged, error, attempt);
  }
}

const hasKey = (uploader: Uploader): uploader is SmallUpload['uploader'] => uploader.keyId !== null;
