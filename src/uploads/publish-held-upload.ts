/**
 * Publishes an upload that the guard of its domain holds back, like one that has just been staged. The row of the held upload
 * remembers what came of it, in the same transaction. So whoever lost the answer asks again, and gets the same.
 */
import { findDomain } from '../domains/domain-store.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { AcceptedUpload } from './accept-upload.ts';
import { GuardRefusal } from './guard.ts';
import { findHeldUpload, type HeldUpload, lockHeldUpload, markPublished } from './held-upload-store.ts';
import type { PublishedUpload, PublishOptions, Uploader } from './publish-generation.ts';
import { publishUpload, type UploadTerms } from './publish-upload.ts';

export interface PublishHeldOptions extends PublishOptions {
  readonly database: Database;
}

/** Throws Refusal: NOT_FOUND; CONFLICT when it is no longer held, or (GuardRefusal) without `force`, and then it stays held. */
export async function publishHeldUpload(
  options: PublishHeldOptions,
  uploader: Uploader,
  uploadId: string,
  terms: UploadTerms,
  onPublished: (transaction: Transaction, upload: AcceptedUpload) => Promise<void> = async () => {},
): Promise<AcceptedUpload> {
  const held = await findHeldUpload<PublishedUpload>(options.database, uploader.accountId, uploadId);
  if (held === undefined) throw new Refusal('NOT_FOUND', 'There is no such held upload.');
  if (held.published !== null) return publishedBefore(options, held, held.published);
  if (!held.isHeld || held.files === null) throw noLongerHeld();
  if ((await findDomain(options.database, held.domainId)) === undefined) throw domainIsGone(held.hostname);
  const staged = { uploadId, files: held.files, hasObjects: true, keep: () => {} };
  try {
    const changeSite = changeSiteOnce(options, uploader, uploadId);
    const { sitemapName } = held;
    const domain = domainOf(held);
    return acceptedOf(
      held,
      await publishUpload({ ...options, changeSite }, uploader, domain, sitemapName, staged, terms, {
        onPublished: (transaction, published) => onPublished(transaction, acceptedOf(held, published)),
      }),
    );
  } catch (error) {
    if (error instanceof PublishedMeanwhile) return publishedBefore(options, held, error.published);
    if (error instanceof GuardRefusal) throw new GuardRefusal(error.shrinkage, uploadId);
    throw error;
  }
}

/** Ends the transaction of whoever comes second. */
class PublishedMeanwhile extends Error {
  readonly published: PublishedUpload;

  constructor(published: PublishedUpload) {
    super('published meanwhile');
    this.published = published;
  }
}

/** Runs the change unless the upload is already published, and records what came of it. */
function changeSiteOnce(
  options: PublishHeldOptions,
  uploader: Uploader,
  uploadId: string,
): PublishOptions['changeSite'] {
  const lockHeld = async (transaction: Transaction) => {
    // Everyone locks the account first, then held uploads, then domains.
    await options.holdCaller(transaction, uploader);
    const locked = await lockHeldUpload<PublishedUpload>(transaction, uploadId);
    if (locked?.published) throw new PublishedMeanwhile(locked.published);
    if (!locked?.isHeld) throw noLongerHeld();
  };
  return (domain, change, beforeCommit) =>
    options.changeSite(
      domain,
      async (transaction) => {
        await lockHeld(transaction);
        const state = await change(transaction);
        await markPublished(transaction, uploadId, state);
        return state;
      },
      beforeCommit,
    );
}

/** An answer means that the site is written. Whoever published the upload may have died before that. */
async function publishedBefore(
  options: PublishHeldOptions,
  held: HeldUpload<PublishedUpload>,
  published: PublishedUpload,
): Promise<AcceptedUpload> {
  await options.changeSite(domainOf(held), async () => {});
  return acceptedOf(held, published);
}

function acceptedOf(held: HeldUpload<PublishedUpload>, published: PublishedUpload): AcceptedUpload {
  const { id: uploadId, sitemapName, pingSearch, rejected } = held;
  return {
    ...published,
    ...{ uploadId, domain: domainOf(held), sitemapName, pingSearch, dryRun: false },
    rejected: rejected ?? undefined,
  };
}

const domainOf = ({ domainId, hostname }: HeldUpload<PublishedUpload>) => ({ id: domainId, hostname });

function noLongerHeld(): Refusal {
  return new Refusal('CONFLICT', 'The files of this upload are no longer kept. Upload the list again.');
}

function domainIsGone(hostname: string): Refusal {
  return new Refusal(
    'CONFLICT',
    `The domain ${hostname} has been deleted, so the upload cannot be published.`,
  );
}
