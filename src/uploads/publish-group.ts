/**
 * Publishes small uploads of any accounts in one transaction. Each is judged by what the ones before it in the group leave, as
 * if they were published one after the other. A refusal is of one member alone. The order of the locks: accounts, domains,
 * garbage; each by id.
 */
import { holdKeys } from '../accounts/hold-caller.ts';
import {
  findDomainCounts,
  raiseGenerationsWithCounts,
  sumStoredBytes,
} from '../domains/domain-counts-store.ts';
import { lockDomains } from '../domains/domain-store.ts';
import type { Outcome } from '../platform/concurrency/grouped-calls.ts';
import { type Database, inTransaction, type Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { keepReplaced } from '../sites/garbage-store.ts';
import { requestWrites } from '../sites/site-change-store.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import type { Attempt } from './attempt.ts';
import { type AcceptedMember, GroupState, MOST_FORMER_FILES } from './group-state.ts';
import {
  describePublished,
  type OnPublished,
  type PublishedUpload,
  type PublishOptions,
  publishedUpload,
  type Uploader,
  wholeSecond,
} from './publish-generation.ts';
import {
  findFormerSitemaps,
  GROUP_SETTINGS,
  insertUploads,
  pointSitemapsTo,
  replaceFiles,
} from './publish-group-store.ts';
import type { UploadTerms } from './publish-upload.ts';
import type { StagedFile } from './staging.ts';
import type { UploadDomain } from './upload-members.ts';

/** An upload of small files alone, by a key. */
export interface GroupMember {
  readonly uploader: Uploader & { readonly keyId: string };
  readonly domain: UploadDomain;
  readonly sitemapName: string;
  readonly uploadId: string;
  readonly files: readonly StagedFile[];
  readonly terms: UploadTerms;
  readonly attempt: Attempt;
  readonly onPublished: OnPublished | undefined;
}

/** Its key, its domain or its sitemap is not for groups now: locked, gone, or replacing too many files. Nothing is done. */
export const LEFT_OUT = Symbol('left out');
export type GroupOutcome = Outcome<PublishedUpload | typeof LEFT_OUT>;

/**
 * `waits`: for keys and domains, a moment. Without, members whose keys or domains are locked are left out. The sites are not
 * written yet. If it throws, nothing is published, unless the answer to COMMIT was lost.
 */
export async function publishGroup(
  options: PublishOptions & { readonly database: Database },
  members: readonly GroupMember[],
  waits: boolean,
): Promise<readonly GroupOutcome[]> {
  const publishedAt = wholeSecond(options.now());
  return inTransaction(
    options.database,
    async (transaction) => {
      const state = await readState(transaction, members, waits);
      const outcomes = new Map<GroupMember, GroupOutcome>();
      const accepted = new Map<GroupMember, AcceptedMember>();
      for (const member of members) {
        try {
          const one = state.accept(member, publishedAt);
          if (one === undefined) outcomes.set(member, { value: LEFT_OUT });
          else accepted.set(member, one);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          outcomes.set(member, { error });
        }
      }
      if (accepted.size > 0) await writeRows(options, transaction, state, [...accepted.values()]);
      for (const [member, one] of accepted) {
        outcomes.set(member, { value: await conclude(options, transaction, member, one) });
      }
      return members.map((member) => outcomes.get(member)!);
    },
    GROUP_SETTINGS,
  );
}

async function readState(
  transaction: Transaction,
  members: readonly GroupMember[],
  waits: boolean,
): Promise<GroupState> {
  const all = (value: (member: GroupMember) => string) => [...new Set(members.map(value))];
  const keys = await holdKeys(
    transaction,
    all(({ uploader }) => uploader.accountId),
    all(({ uploader }) => uploader.keyId),
    waits,
  );
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))];
  const domains = await lockDomains(
    transaction,
    all(({ domain }) => domain.id),
    waits,
  );
  const ids = domains.map(({ id }) => id);
  const sitemaps = new Map(
    members.map(({ domain, sitemapName }) => [
      `${domain.id} ${sitemapName}`,
      { domainId: domain.id, sitemapName },
    ]),
  );
  return new GroupState({
    keys,
    domains,
    counts: await findDomainCounts(transaction, ids),
    accountBytes: await sumStoredBytes(transaction, accountIds),
    sitemaps: await findFormerSitemaps(transaction, [...sitemaps.values()], MOST_FORMER_FILES + 1),
  });
}

async function writeRows(
  { keepReplacedMs }: PublishOptions,
  transaction: Transaction,
  state: GroupState,
  accepted: readonly AcceptedMember[],
): Promise<void> {
  const rows = accepted.map(({ row }) => row);
  const replaced = accepted.flatMap((one) => one.replaced ?? []);
  await insertUploads(transaction, rows);
  await replaceFiles(transaction, state.endedSitemaps(), rows);
  if (replaced.length > 0) await keepReplaced(transaction, replaced, keepReplacedMs);
  await pointSitemapsTo(transaction, state.changedSitemaps());
  await raiseGenerationsWithCounts(transaction, state.changedDomains());
  const hostnames = accepted.map(({ domain }) => domain.hostname);
  await requestWrites(transaction, hostnames);
}

/** What only some members need. */
async function conclude(
  options: PublishOptions,
  transaction: Transaction,
  { uploader, onPublished }: GroupMember,
  { row, domain, locked, replaced, isFirstOfDomain }: AcceptedMember,
): Promise<PublishedUpload> {
  const isDue = locked.hasWarnings && isFirstOfDomain;
  const warnings = isDue ? await options.takeWarnings(transaction, domain.id) : [];
  if (locked.hasWebhooks) {
    const event = describePublished(options, domain, row, 'upload', locked.isSecure);
    await emitEvent(transaction, uploader.accountId, 'upload.published', event);
  }
  const published = publishedUpload(row, locked, replaced, warnings);
  await onPublished?.(transaction, published);
  return published;
}
