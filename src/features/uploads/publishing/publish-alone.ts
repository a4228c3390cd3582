/** Publishes one generation. Waits for locks that other transactions hold, and writes the site at the end. */
import {
  openTransaction,
  type Transaction,
  type TransactionSettings,
} from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { inSpan } from '../../../platform/trace/span.ts';
import type { Actor } from '../../accounts/actor.ts';
import { holdScope } from '../../accounts/hold-caller.ts';
import type { GenerationRow } from '../upload-store.ts';
import {
  type Publication,
  type PublishedUpload,
  type PublishOptions,
  requirePublication,
} from './publication.ts';
import { LEFT_OUT, publish } from './publish.ts';

/** A publication that may have files of any size. */
export interface LonePublication extends Publication {
  /** Callers of the same account that must be valid, too. */
  readonly otherCallers?: readonly Actor[];
  /** Inserts the rows of the generation and its files. Returns how many of the files have changed. */
  readonly insert: (transaction: Transaction, row: GenerationRow) => Promise<number>;
  /**
   * Called just before COMMIT, but not if nothing changes. From then on the generation may be live, even if the answer to COMMIT is lost.
   */
  readonly beforeCommit?: () => void;
}

/**
 * A Refusal means that the generation is not published. A GuardRefusal means that only `force` is missing. After any other
 * error, the generation may be live or go live later, because the answer to COMMIT may be lost.
 */
export async function publishAlone(
  options: PublishOptions,
  publication: LonePublication,
): Promise<PublishedUpload> {
  const published = await commitAlone(options, publication);
  if (published.isSiteDue) await options.writeSite(publication.domain.hostname);
  return published;
}

/** Publishes as `publishAlone` does, but leaves the write of the site to the caller. `settings`: as in `openTransaction`. */
export async function commitAlone(
  options: PublishOptions,
  publication: LonePublication,
  settings: TransactionSettings = {},
): Promise<PublishedUpload> {
  return inSpan('publish', { kind: publication.kind }, async () => {
    await using opened = await openTransaction(options.database, settings);
    const published = await publishOne(options, opened.transaction, publication);
    if (!published.isUnchanged) publication.beforeCommit?.();
    await opened.commit();
    return published;
  });
}

/** Runs the publication and rolls it back. Returns its outcome, or throws its Refusal. */
export async function tryToPublish(
  options: PublishOptions,
  publication: LonePublication,
): Promise<PublishedUpload> {
  await using opened = await openTransaction(options.database);
  return await publishOne(options, opened.transaction, publication);
}

/** Publishes in a transaction of the caller. The caller must commit it, and then write the site. */
export async function publishOne(
  options: PublishOptions,
  transaction: Transaction,
  publication: LonePublication,
): Promise<PublishedUpload> {
  // The account is locked before the domain, so each concurrent publisher sees the bytes that earlier publishers have stored.
  for (const caller of [publication.uploader, ...(publication.otherCallers ?? [])]) {
    requirePublication(await holdScope(transaction, caller), publication);
  }
  const outcomes = await publish(options, transaction, [publication], {
    waits: true,
    insert: async (_, [accepted]) => [await publication.insert(transaction, accepted!.row)],
  });
  const outcome = outcomes.get(publication)!;
  if ('error' in outcome) throw outcome.error;
  if (outcome.value !== LEFT_OUT) return outcome.value;
  throw new Refusal('NOT_FOUND', `The domain ${publication.domain.hostname} has been deleted.`);
}
