/**
 * Publishes deltas of one sitemap as one generation, as if they were published one after the other. If another generation becomes live
 * meanwhile, the deltas are applied to that generation.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { NewId } from '../../../platform/ids.ts';
import { KEPT_PLANS, type TransactionSettings } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { steadyNow } from '../../../platform/steady-clock.ts';
import type { OpenStaging } from '../open-staging.ts';
import { holdPlacing } from '../placement/hold-placing.ts';
import type { PublishOptions } from '../publishing/publication.ts';
import { commitAlone, tryToPublish } from '../publishing/publish-alone.ts';
import { placeOf, refuseOtherGeneration } from '../publishing/publish-state.ts';
import { Overtaken } from '../publishing/staged-upload.ts';
import { type Applied, type ApplyDeltasOptions, applyDeltas } from './apply-deltas.ts';
import { type DeltaBase, findDeltaBase } from './base-store.ts';
import type { Delta, OpenDeltaRecord, PublishedDelta } from './delta.ts';
import { deltaPublication, withCounts } from './delta-publication.ts';
import type { GenerationFiles } from './generation-files.ts';
import { judgeDelta } from './judge-delta.ts';
import { ADDED, CHANGED, type Found, REMOVED } from './messages.ts';
import { endsOfParts, joinOperations, locOf, type Operations, xmlOf } from './operations.ts';

export interface PublishDeltasOptions extends PublishOptions, ApplyDeltasOptions {
  readonly openStaging: OpenStaging;
  readonly newId: NewId;
  readonly generationFiles: GenerationFiles;
  readonly openDeltaRecord: OpenDeltaRecord;
  /** Called with the bytes of the files that were written. */
  readonly onWritten?: (bytes: number) => void;
}

/** The most tries to publish deltas. A try fails if another generation becomes live during the try. */
const MOST_ATTEMPTS = 8;
/**
 * From this try on, other deltas wait. Deltas of another process may come all the time, and each may take less time than a try. Two
 * processes whose deltas take the same time seldom come so far. A dry run holds up nobody.
 */
const HOLDS_FROM = 5;
/** The longest time that deltas wait for a placement. A placement takes some seconds. The lease of a dead process ends within this time. */
const MAX_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Publishes deltas of one sitemap. If there are several, none may have terms of its own (`isPlain`). A Refusal means that no delta is
 * published. Other errors are those of `publishAlone`. The caller writes the site afterwards, while the next deltas are published.
 */
export async function publishDeltas(
  options: PublishDeltasOptions,
  deltas: readonly Delta[],
): Promise<readonly PublishedDelta[]> {
  const { uploader, domain, sitemapName, terms, dryRun } = deltas[0]!;
  const { accountId } = uploader;
  const key = { domainId: domain.id, sitemapName };
  const operations = joinOperations(deltas.map((delta) => delta.operations));
  const requestEnds = endsOfParts(deltas.map((delta) => delta.operations.count));
  await using staging = options.openStaging(accountId, options.newId('upload'), () => dryRun);
  await using scope = new AsyncDisposableStack();
  let isHeld = false;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    if (attempt === HOLDS_FROM && !dryRun) {
      await waitForBase(options, deltas[0]!);
      scope.use(await holdPlacing(options.database, key));
      isHeld = true;
    }
    const base = await waitForBase(options, deltas[0]!, isHeld);
    refuseOtherGeneration(terms.ifGeneration, base);
    const files = await options.generationFiles.list(options.database, key, base);
    if (files === undefined) continue;
    const applied = await applyDeltas(options, {
      ...{ accountId, place: placeOf(key), base, files, staging, operations, requestEnds },
      judge: (found) => judgeDelta(deltas, found),
    });
    const isRecorded = applied.written !== undefined && !dryRun;
    const record = isRecorded
      ? await options.openDeltaRecord({
          ...{ accountId, ...key, hostname: domain.hostname },
          ...{ uploadId: staging.uploadId, formerUploadId: base.id },
          ...changesOf(operations, applied.found),
        })
      : undefined;
    const publication = deltaPublication({ deltas, base, applied, staging, record });
    try {
      const published = dryRun
        ? await tryToPublish(options, publication)
        : await commitAlone(options, publication, settingsFor(applied));
      if (applied.written !== undefined && !dryRun) {
        options.onWritten?.(staging.files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0));
        options.generationFiles.add(key, staging.uploadId, applied.written.files);
      }
      return deltas.map((_, i) => withCounts(published, applied, i));
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    } finally {
      await record?.discard();
    }
  }
  throw tooManyChanges();
}

/** A kept plan compares the number of each file with each touched number, so it is slow if more files than this change. */
const MOST_FILES_OF_KEPT_PLAN = 1000;

function settingsFor({ written }: Applied): TransactionSettings {
  return (written?.placed.touched.length ?? 0) <= MOST_FILES_OF_KEPT_PLAN ? KEPT_PLANS : {};
}

/** Returns the URLs that the operations changed, and the XML of the entries that they added or changed. */
function changesOf(operations: Operations, { changes }: Found) {
  const indexes = Map.groupBy(changes.keys(), (i) => changes[i]!);
  const urlsOf = (change: number) => (indexes.get(change) ?? []).map((i) => locOf(operations, i));
  return {
    changes: { added: urlsOf(ADDED), changed: urlsOf(CHANGED), removed: urlsOf(REMOVED) },
    *entries() {
      for (const [i, change] of changes.entries()) {
        if (change === ADDED || change === CHANGED) yield xmlOf(operations, i);
      }
    },
  };
}

/** Returns the live generation once no placement holds deltas away. `isHeld`: this call holds other deltas away itself. Throws Refusal. */
async function waitForBase(
  { database }: PublishDeltasOptions,
  { domain, sitemapName }: Delta,
  isHeld = false,
): Promise<DeltaBase> {
  const until = steadyNow() + MAX_WAIT_MS;
  for (;;) {
    const base = await findDeltaBase(database, { domainId: domain.id, sitemapName });
    if (base === undefined) throw noSuchSitemap(domain.hostname, sitemapName);
    if (!base.isPlacing || isHeld) return base;
    if (steadyNow() > until) throw uploadIsPlaced();
    await sleep(LOOK_EVERY_MS);
  }
}

function noSuchSitemap(hostname: string, sitemapName: string): Refusal {
  const name = shownSitemapName(sitemapName);
  return new Refusal(
    'NOT_FOUND',
    `There is no sitemap ${name} on ${hostname}. A delta changes a sitemap that an upload has made.`,
  );
}

function uploadIsPlaced(): Refusal {
  const message = 'An upload or a delta of this sitemap is being published. Send the delta again afterwards.';
  return new Refusal('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: MAX_WAIT_MS / 1000 });
}

function tooManyChanges(): Refusal {
  const message =
    'Other changes of this sitemap came first, again and again. Send the delta again in a moment.';
  return new Refusal('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 });
}
