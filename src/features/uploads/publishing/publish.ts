/**
 * Publishes generations of sitemaps in one transaction. Each generation is judged by the state after the earlier ones, as if they were
 * published one after the other. A refusal affects only its own generation. Locks are taken in this order: accounts, domains, garbage,
 * each by id.
 */

import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { Outcome } from '../../../platform/concurrency/grouped-calls.ts';
import { pipelined, type Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { currentTrace, withTrace } from '../../../platform/trace/trace-context.ts';
import { findDomainCounts, findStoredBytes } from '../../domains/domain-counts-store.ts';
import { lockDomains } from '../../domains/domain-store.ts';
import { cutUncomparedDeltas } from '../../entries/changed-entries.ts';
import { recordChanges } from '../../sites/change-site.ts';
import { keepReplaced } from '../../sites/garbage-store.ts';
import { emitEvent } from '../../webhooks/emit-event.ts';
import {
  type Publication,
  type PublishedUpload,
  type PublishOptions,
  publishedEvent,
  publishedUpload,
  unchangedUpload,
} from './publication.ts';
import { type Accepted, PublishState, placeOf, type Unchanged } from './publish-state.ts';
import {
  confirmSitemaps,
  findFormerSitemaps,
  pointSitemapsTo,
  pointSitemapsToDeltas,
} from './publish-store.ts';

/**
 * The publication does not belong in this transaction: its domain is locked or gone, or it replaces too many files. It
 * changes nothing.
 */
export const LEFT_OUT = Symbol('left out');
export type PublishOutcome = Outcome<PublishedUpload | typeof LEFT_OUT>;

export interface PublishWay<Kind extends Publication> {
  /** Whether to wait for locked domains. If it is false, their publications are left out. */
  readonly waits: boolean;
  /**
   * `insert` compares the new files with at most this many former ones. A publication that replaces more files is left out. Undefined if
   * `insert` compares no files.
   */
  readonly mostFormerFiles?: number;
  /** Inserts the rows of the generations and their files. Returns for each generation how many of its files have changed. */
  readonly insert: (
    transaction: Transaction,
    accepted: readonly Accepted<Kind>[],
  ) => Promise<readonly number[]>;
}

/** The caller must have locked the accounts and keys. After `publish` it must commit, and then write the sites. */
export async function publish<Kind extends Publication>(
  options: PublishOptions,
  transaction: Transaction,
  publications: readonly Kind[],
  way: PublishWay<Kind>,
): Promise<ReadonlyMap<Kind, PublishOutcome>> {
  const state = await readState(transaction, publications, way);
  const outcomes = new Map<Kind, PublishOutcome>();
  const accepted: Accepted<Kind>[] = [];
  const unchanged: Unchanged<Kind>[] = [];
  for (const publication of publications) {
    try {
      const one = await state.accept(transaction, publication, options.publishTime);
      if (one === undefined) outcomes.set(publication, { value: LEFT_OUT });
      else if ('row' in one) accepted.push(one);
      else unchanged.push(one);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcomes.set(publication, { error });
    }
  }
  const changedFiles = accepted.length === 0 ? [] : await write(options, transaction, state, accepted, way);
  for (const [i, one] of accepted.entries()) {
    const value = await inItsTrace(one, () => conclude(options, transaction, one, changedFiles[i]!));
    outcomes.set(one.publication, { value });
  }
  // Confirm after the writes. An upload may repeat another upload of this transaction, and the site of that upload must be written before
  // the answer.
  const dueSites = await confirm(transaction, unchanged);
  for (const one of unchanged) {
    const isSiteDue = dueSites.has(one.publication.domain.id);
    const value = await inItsTrace(one, () => concludeUnchanged(transaction, one, isSiteDue));
    outcomes.set(one.publication, { value });
  }
  return outcomes;
}

/** Runs `work` in the trace of one request. Several requests may share the transaction. */
function inItsTrace<Result>(
  { publication: { attempts } }: Pick<Accepted, 'publication'>,
  work: () => Result,
): Result {
  return withTrace(attempts?.[0]?.trace ?? currentTrace(), work);
}

async function write<Kind extends Publication>(
  { keepReplacedMs }: PublishOptions,
  transaction: Transaction,
  state: PublishState,
  accepted: readonly Accepted<Kind>[],
  { insert }: PublishWay<Kind>,
): Promise<readonly number[]> {
  const changedFiles = await insert(transaction, accepted);
  const replaced = accepted.flatMap(({ live, row, publication: { kind }, former: { lastDeltaSeq } }) => {
    const { domainId, sitemapName, seq: nextSeq, publishedAt: nextAt } = row;
    if (live === undefined) return [];
    const next = { nextSeq, nextAt, byDelta: kind === 'delta' };
    return [{ uploadId: live.id, domainId, sitemapName, ...next, lastDeltaSeq }];
  });
  const onDeltas = accepted.flatMap(({ live, row, locked, former, publication: { kind } }) => {
    const isOnDelta = kind !== 'delta' && live !== undefined && live.seq === former.lastDeltaSeq;
    return locked.hasRecent && isOnDelta ? [row] : [];
  });
  const changed = state.changedSitemaps();
  const deltas = changed.filter(({ isDelta }) => isDelta);
  const uploads = changed.filter(({ isDelta }) => !isDelta);
  await pipelined([
    keepReplaced(transaction, replaced, keepReplacedMs),
    cutUncomparedDeltas(transaction, onDeltas),
    pointSitemapsTo(transaction, uploads),
    pointSitemapsToDeltas(transaction, deltas),
    recordChanges(transaction, state.changedDomains()),
  ]);
  return changedFiles;
}

async function confirm(
  transaction: Transaction,
  unchanged: readonly Unchanged[],
): Promise<ReadonlySet<string>> {
  if (unchanged.length === 0) return new Set();
  const sitemaps = unchanged.map(({ publication: { domain, sitemapName } }) => ({
    domainId: domain.id,
    sitemapName,
  }));
  const attempts = unchanged.flatMap(({ publication: { attempts = [] }, live }) =>
    attempts.map((attempt) => attempt.publish(live.seq, 'unchanged')),
  );
  return confirmSitemaps(transaction, sitemaps, attempts);
}

async function readState(
  transaction: Transaction,
  publications: readonly Publication[],
  { waits, mostFormerFiles }: Pick<PublishWay<Publication>, 'waits' | 'mostFormerFiles'>,
): Promise<PublishState> {
  const all = (value: (publication: Publication) => string) => [...new Set(publications.map(value))];
  const domainIds = all(({ domain }) => domain.id);
  const keys = publications.map(({ domain, sitemapName }) => ({ domainId: domain.id, sitemapName }));
  const sitemaps = new Map(keys.map((key) => [placeOf(key), key]));
  const accountIds = all(({ uploader }) => uploader.accountId);
  const domains = await lockDomains(transaction, domainIds, waits);
  const lockedIds = domains.map(({ id }) => id);
  const [counts, accountBytes, former] = await pipelined([
    findDomainCounts(transaction, lockedIds),
    findStoredBytes(transaction, accountIds),
    findFormerSitemaps(transaction, [...sitemaps.values()], mostFormerFiles),
  ]);
  return new PublishState({ domains, counts, accountBytes, former });
}

/** Takes the steps that only some publications need: warnings, the event, and the callback. */
async function conclude(
  options: PublishOptions,
  transaction: Transaction,
  { publication, row, locked, live, isFirstOfDomain }: Accepted,
  filesChanged: number,
): Promise<PublishedUpload> {
  const { domain, uploader, onPublished } = publication;
  const isDue = locked.hasWarnings && isFirstOfDomain;
  const warnings = isDue ? await options.takeWarnings(transaction, domain.id) : [];
  if (locked.hasWebhooks) {
    const event = publishedEvent(options, publication, row, locked, filesChanged);
    await emitEvent(transaction, uploader.accountId, 'upload.published', event);
  }
  const published = publishedUpload(row, locked, live, filesChanged, warnings, publication.placement);
  await onPublished?.(transaction, published);
  return published;
}

async function concludeUnchanged(
  transaction: Transaction,
  { publication, locked, live }: Unchanged,
  isSiteDue: boolean,
): Promise<PublishedUpload> {
  const { id: uploadId, domain, uploader, sitemapName, onPublished } = publication;
  if (locked.hasWebhooks) {
    await emitEvent(transaction, uploader.accountId, 'upload.unchanged', {
      domainId: domain.id,
      domain: domain.hostname,
      sitemapName: shownSitemapName(sitemapName),
      uploadId,
      generation: live.seq,
      urlCount: live.urlCount,
    });
  }
  const published = unchangedUpload(live, locked, isSiteDue);
  await onPublished?.(transaction, published);
  return published;
}
