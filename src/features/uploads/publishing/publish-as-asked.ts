/** Publishes a staged upload, only tries it (a dry run), or holds it if the guard of its domain refuses it. */
import type { Turns } from '../../../platform/concurrency/turns.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Attempt } from '../attempt.ts';
import type { ContentPrint } from '../content-print.ts';
import { GuardRefusal } from '../guard.ts';
import { type PlaceUploadOptions, placeUpload } from '../placement/place-upload.ts';
import type { StagedFile, Staging } from '../staging.ts';
import type { CompleteMembers } from '../upload-members.ts';
import { holdUpload } from './hold-upload.ts';
import type { OnPublished, PublishedUpload, PublishOptions, Uploader } from './publication.ts';
import { publishAlone, tryToPublish } from './publish-alone.ts';
import type { PublishSmall } from './publish-in-groups.ts';
import { type SmallUpload, smallUpload } from './small-upload.ts';
import {
  type Asked,
  filesBeside,
  numbersOf,
  Overtaken,
  placedUpload,
  stagedUpload,
} from './staged-upload.ts';

export interface PublishAsAskedOptions extends PublishOptions, PlaceUploadOptions {
  readonly publishSmall: PublishSmall;
  /** Limits the publications of an account, because they wait for each other, and each takes a connection to Postgres. */
  readonly publishTurns: Turns;
}

export interface PublishWatch {
  readonly attempt: Attempt;
  readonly onPublished: OnPublished;
  /** The files to publish, in their order. Absent: all staged files. */
  readonly ordered?: readonly StagedFile[];
  /** Takes locks before the files are published, after the locks of domains and before the locks of `garbage`. */
  readonly lock?: ((transaction: Transaction) => Promise<void>) | undefined;
  /** Runs in the transaction that holds the upload. May take the same locks as `lock`. */
  readonly onHeld?: ((transaction: Transaction) => Promise<void>) | undefined;
}

/** How often an upload is placed in live files at most. It is placed again if another generation became live before its publication. */
const MAX_PLACEMENTS = 2;

export async function publishAsAsked(
  options: PublishAsAskedOptions,
  uploader: Uploader,
  { domain, sitemapName, pingSearch, placement, ...terms }: CompleteMembers,
  staged: Staging,
  print: ContentPrint,
  {
    dryRun,
    rejected,
    attempt,
    onPublished,
    lock,
    onHeld,
    ordered = [...staged.files],
  }: PublishWatch & { readonly dryRun: boolean; readonly rejected: number | undefined },
): Promise<PublishedUpload> {
  const { accountId } = uploader;
  const asked = { uploader, domain, sitemapName, terms };
  if (dryRun) {
    const upload = { ...pick(staged), files: ordered, print };
    return options.publishTurns.run(accountId, () => tryToPublish(options, stagedUpload(asked, upload)));
  }
  const recorded = { ...asked, attempts: [attempt], onPublished };
  try {
    if (hasKey(uploader) && ordered.every(({ content }) => content !== undefined)) {
      const { uploadId: id } = staged;
      return await options.publishSmall(smallUpload({ ...recorded, id, uploader }, ordered, print));
    }
    const isStable = (placement ?? domain.placement) === 'stable';
    return await publishStaged(options, recorded, { staged, ordered, print, isStable, lock });
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
    throw await holdUpload(options.database, held, staged, ordered, error, { attempt, onHeld });
  }
}

interface ToPublish {
  readonly staged: Staging;
  readonly ordered: readonly StagedFile[];
  readonly print: ContentPrint;
  readonly isStable: boolean;
  readonly lock: PublishWatch['lock'];
}

/**
 * Publishes the upload. A stable placement puts the entries into the files of the live generation, so only changed files are new. Otherwise
 * all files are published in the order of the list.
 */
async function publishStaged(
  options: PublishAsAskedOptions,
  asked: Asked,
  { staged, ordered, print, isStable, lock }: ToPublish,
): Promise<PublishedUpload> {
  const { uploader, domain, sitemapName } = asked;
  const { accountId } = uploader;
  const inTurn = (publish: () => Promise<PublishedUpload>) => options.publishTurns.run(accountId, publish);
  const publishInOrder = (placement: Asked['placement']) => {
    const unused = filesBeside(staged.files, numbersOf(ordered));
    const upload = { ...pick(staged), files: ordered, unused, print, lock };
    return inTurn(() => publishAlone(options, stagedUpload({ ...asked, placement }, upload)));
  };
  if (!isStable) return publishInOrder({ placement: 'order' });
  const toPlace = { accountId, domainId: domain.id, sitemapName, staging: staged, ordered, print };
  for (let i = 0; i < MAX_PLACEMENTS; i++) {
    // Await each promise here. If a promise rejects while the scope ends, the process ends.
    await using scope = new AsyncDisposableStack();
    const placed = await placeUpload(options, { ...toPlace, scope });
    if (placed.kind === 'order') {
      const { reason } = placed;
      return await publishInOrder(reason && { placement: 'order', placementReason: reason });
    }
    const used = new Set(
      placed.touched.flatMap(({ uploadId, uploadN }) => (uploadId === staged.uploadId ? [uploadN] : [])),
    );
    const unused = filesBeside(staged.files, used);
    const upload = { ...pick(staged), files: ordered, unused, print, lock };
    try {
      return await inTurn(() => publishAlone(options, placedUpload(asked, upload, placed)));
    } catch (error) {
      // In the order of the upload, the same entries may take fewer files and bytes than in a stable placement.
      if (isRefusedForSize(error))
        return await publishInOrder({ placement: 'order', placementReason: 'limits' });
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  return publishInOrder({ placement: 'order', placementReason: 'overtaken' });
}

const isRefusedForSize = (error: unknown) => error instanceof Refusal && error.code === 'VALIDATION_ERROR';

const pick = (staged: Staging) => ({
  uploadId: staged.uploadId,
  hasObjects: staged.hasObjects,
  keep: () => staged.keep(),
});

const hasKey = (uploader: Uploader): uploader is SmallUpload['uploader'] => uploader.keyId !== null;
