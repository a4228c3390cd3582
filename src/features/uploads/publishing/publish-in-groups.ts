/**
 * Publishes small uploads in groups: uploads that come while a group is published form the next group. An upload whose locks are not free
 * moves to a second kind of group, which waits for locks briefly. If a lock is not free even then, the upload is published alone, so it
 * does not hold up the other uploads.
 */
import { GroupedCalls } from '../../../platform/concurrency/grouped-calls.ts';
import { Turns } from '../../../platform/concurrency/turns.ts';
import {
  isFaultOfMember,
  isLockTimeout,
  openTransaction,
  type Transaction,
} from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { inSpan } from '../../../platform/trace/span.ts';
import { accountSuspended } from '../../accounts/api-key.ts';
import { type HeldKey, holdKeys } from '../../accounts/hold-caller.ts';
import { type PublishedUpload, type PublishOptions, requirePublication } from './publication.ts';
import { LEFT_OUT, type PublishOutcome, publish } from './publish.ts';
import { publishAlone } from './publish-alone.ts';
import { GROUP_SETTINGS } from './publish-store.ts';
import { insertSmallUploads, type SmallUpload } from './small-upload.ts';
import { stagedUpload } from './staged-upload.ts';

/**
 * The most uploads of a group. `keepReplaced` takes fewer than 90 generations of a sitemap. In a larger group, the first upload also waits
 * longer for the last one.
 */
const MOST_MEMBERS = 64;
/** A group waits for at most this many uploads. With more clients, one group collects while another one is published. */
const MOST_GATHERED = MOST_MEMBERS / 2;
/** The most files that a small upload may replace in a group. */
const MOST_FORMER_FILES = 100;

export interface PublishInGroupsOptions extends PublishOptions {
  /** The most uploads that are published alone at once, because locks kept them out of a group. Each takes a connection to Postgres. */
  readonly alone: number;
}

/** Throws the same errors as `publishAlone`. */
export type PublishSmall = (upload: SmallUpload) => Promise<PublishedUpload>;

export function createPublishInGroups(options: PublishInGroupsOptions): PublishSmall {
  const inGroups = (waits: boolean) =>
    new GroupedCalls((uploads: readonly SmallUpload[]) => publishUnlessLocked(options, uploads, waits), {
      most: MOST_MEMBERS,
      gathers: MOST_GATHERED,
      ownerOf: ({ uploader }) => uploader.accountId,
      // A Refusal comes from one upload: its request lost its Idempotency-Key to another request when it recorded the answer.
      isOfMember: (error) => error instanceof Refusal || isFaultOfMember(error),
    });
  // The second kind of group waits for locks of other processes and of large publications.
  const groups = [inGroups(false), inGroups(true)];
  // Each account publishes one upload alone at a time, because its uploads wait for the lock of the account anyway.
  const alone = new Turns(options.alone, 1);
  return async (upload) => {
    for (const group of groups) {
      const published = await inSpan('publish', { kind: upload.kind, group: true }, () => group.run(upload));
      if (published === LEFT_OUT) continue;
      if (published.isSiteDue) await options.writeSite(upload.domain.hostname);
      return published;
    }
    const { id: uploadId, files, content } = upload;
    const staged = { uploadId, files, print: content.print, hasObjects: false, keep: () => {} };
    return alone.run(upload.uploader.accountId, () => publishAlone(options, stagedUpload(upload, staged)));
  };
}

async function publishUnlessLocked(
  options: PublishInGroupsOptions,
  uploads: readonly SmallUpload[],
  waits: boolean,
): Promise<readonly PublishOutcome[]> {
  try {
    await using opened = await openTransaction(options.database, GROUP_SETTINGS);
    const outcomes = await publishGroup(options, opened.transaction, uploads, waits);
    await opened.commit();
    return outcomes;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    // A lock of one upload was not free in time. Postgres does not say which one, so all uploads are left out.
    return uploads.map(() => ({ value: LEFT_OUT }));
  }
}

async function publishGroup(
  options: PublishInGroupsOptions,
  transaction: Transaction,
  uploads: readonly SmallUpload[],
  waits: boolean,
): Promise<readonly PublishOutcome[]> {
  const all = (value: (upload: SmallUpload) => string) => [...new Set(uploads.map(value))];
  const accountIds = all(({ uploader }) => uploader.accountId);
  const keys = await holdKeys(
    transaction,
    accountIds,
    all(({ uploader }) => uploader.keyId),
    waits,
  );
  const heldKeyOf = ({ uploader }: SmallUpload) =>
    keys.find(({ keyId, accountId }) => keyId === uploader.keyId && accountId === uploader.accountId);
  const refusals = new Map(
    uploads.flatMap((upload): [SmallUpload, Refusal][] => {
      const refusal = refusalOf(upload, heldKeyOf(upload));
      return refusal === undefined ? [] : [[upload, refusal]];
    }),
  );
  const isPublished = (upload: SmallUpload) => heldKeyOf(upload) !== undefined && !refusals.has(upload);
  const outcomes = await publish(options, transaction, uploads.filter(isPublished), {
    waits,
    mostFormerFiles: MOST_FORMER_FILES,
    insert: insertSmallUploads,
  });
  return uploads.map((upload) => {
    const error = refusals.get(upload);
    return outcomes.get(upload) ?? (error ? { error } : { value: LEFT_OUT });
  });
}

function refusalOf(upload: SmallUpload, held: HeldKey | undefined): Refusal | undefined {
  if (held === undefined) return undefined;
  if (held.isSuspended) return accountSuspended();
  if (held.scope === null) return undefined;
  try {
    requirePublication(held.scope, upload);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
