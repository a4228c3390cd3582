/**
 * Publishes a held upload like a new upload. The same transaction stores the outcome in the row of the held upload. So a client that lost
 * the answer repeats its request and gets the same answer.
 */
import { openTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { findDomain } from '../../domains/domain-store.ts';
import type { AcceptedUpload } from '../accept-upload.ts';
import { markUnchanged } from '../attempt-store.ts';
import { GuardRefusal } from '../guard.ts';
import { findHeldUpload, type HeldUpload, lockHeldUpload, markPublished } from '../held-upload-store.ts';
import type { PublishedUpload, PublishOptions, Uploader, UploadTerms } from './publication.ts';
import { publishOne } from './publish-alone.ts';
import { stagedUpload } from './staged-upload.ts';

type OnAccepted = (transaction: Transaction, upload: AcceptedUpload) => Promise<void>;

/**
 * Publishes a held upload. Throws Refusal NOT_FOUND, or CONFLICT if the upload is no longer held or its domain is gone, and the refusals of
 * a publication. Without `force` it may throw GuardRefusal, and the upload stays held.
 */
export async function publishHeldUpload(
  options: PublishOptions,
  uploader: Uploader,
  uploadId: string,
  terms: UploadTerms,
  onPublished: OnAccepted = async () => {},
): Promise<AcceptedUpload> {
  const held = await findHeldUpload<PublishedUpload>(options.database, uploader.accountId, uploadId);
  if (held === undefined) throw new Refusal('NOT_FOUND', 'There is no such held upload.');
  const published = held.published ?? (await publishOnce(options, uploader, held, terms, onPublished));
  // Write the site before the answer. A process that published the upload earlier may have died before writing it.
  await options.writeSite(held.hostname);
  return acceptedOf(held, published);
}

async function publishOnce(
  options: PublishOptions,
  uploader: Uploader,
  held: HeldUpload<PublishedUpload>,
  terms: UploadTerms,
  onPublished: OnAccepted,
): Promise<PublishedUpload> {
  const { id: uploadId, files, print, hostname, sitemapName } = held;
  if (!held.isHeld || files === null) throw noLongerHeld();
  if ((await findDomain(options.database, held.domainId)) === undefined) throw domainIsGone(hostname);
  await using opened = await openTransaction(options.database);
  const { transaction } = opened;
  // All locks are taken in this order: the account, held uploads, domains.
  await holdCaller(transaction, uploader);
  const locked = await lockHeldUpload<PublishedUpload>(transaction, uploadId);
  // Another request has published the upload meanwhile.
  if (locked?.published) return locked.published;
  if (!locked?.isHeld) throw noLongerHeld();
  const asked = {
    uploader,
    domain: domainOf(held),
    sitemapName,
    terms,
    placement: { placement: 'order', placementReason: 'held' } as const,
    onPublished: (_: Transaction, state: PublishedUpload) =>
      onPublished(transaction, acceptedOf(held, state)),
  };
  const upload = stagedUpload(asked, {
    ...{ uploadId, files, print },
    hasObjects: true,
    keep: () => {},
  });
  const published = await publishOne(options, transaction, upload).catch((error) => {
    throw error instanceof GuardRefusal ? new GuardRefusal(error.shrinkage, uploadId) : error;
  });
  if (published.isUnchanged) await markUnchanged(transaction, held, published);
  await markPublished(transaction, uploadId, published);
  await opened.commit();
  return published;
}

function acceptedOf(held: HeldUpload<PublishedUpload>, published: PublishedUpload): AcceptedUpload {
  const { id: uploadId, sitemapName, pingSearch, rejected } = held;
  const asked = { uploadId, domain: domainOf(held), sitemapName, pingSearch, dryRun: false };
  return { ...published, ...asked, rejected: rejected ?? undefined, dialect: undefined };
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
