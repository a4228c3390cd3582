/**
 * Publishes deltas of one sitemap as one generation, as if they were published one after the other. If another generation becomes
 * live meanwhile, they are applied to that one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { NewId } from '../../../platform/ids.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { steadyNow } from '../../../platform/steady-clock.ts';
import type { ContentPrint } from '../content-print.ts';
import type { OpenStaging } from '../open-staging.ts';
import type { PublishedUpload, PublishOptions, Uploader } from '../publishing/publication.ts';
import { commitAlone, type LonePublication, tryToPublish } from '../publishing/publish-alone.ts';
import { placeOf, refuseOtherGeneration } from '../publishing/publish-state.ts';
import { Overtaken, takeObjects } from '../publishing/staged-upload.ts';
import type { Staging } from '../staging.ts';
import { insertDelta } from '../upload-store.ts';
import { type Applied, type ApplyDeltasOptions, applyDeltas } from './apply-deltas.ts';
import { type DeltaBase, findDeltaBase } from './base-store.ts';
import type { Delta, OpenDeltaRecord, PublishedDelta } from './delta.ts';
import type { GenerationFiles } from './generation-files.ts';
import { judgeDelta, locOf } from './judge-delta.ts';
import { ADDED, CHANGED, type Found, REMOVED } from './messages.ts';
import { joinOperations, type Operations, xmlOf } from './operations.ts';

export interface PublishDeltasOptions extends PublishOptions, ApplyDeltasOptions {
  readonly openStaging: OpenStaging;
  readonly newId: NewId;
  readonly generationFiles: GenerationFiles;
  readonly openDeltaRecord: OpenDeltaRecord;
  /** Called with the bytes of the files that were written. */
  readonly onWritten?: (bytes: number) => void;
}

/** How often deltas are applied to another generation, because the one before was replaced meanwhile. */
const MOST_ATTEMPTS = 8;
/** A placement takes some seconds, and ends its own lease. */
const MAX_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * All are of one sitemap. If there are several, none may have terms of its own (`isPlain`). Throws Refusal, and otherwise as
 * `publishAlone` does: then none is published. The caller must then write the site, while the next deltas are published.
 */
export async function publishDeltas(
  options: PublishDeltasOptions,
  deltas: readonly Delta[],
): Promise<readonly PublishedDelta[]> {
  const { uploader, domain, sitemapName, terms, dryRun } = deltas[0]!;
  const { accountId } = uploader;
  const key = { domainId: domain.id, sitemapName };
  const operations = joinOperations(deltas.map((delta) => delta.operations));
  const requestEnds = endsOf(deltas);
  await using staging = options.openStaging(accountId, options.newId('upload'), () => dryRun);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const base = await waitForBase(options, deltas[0]!);
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
          ...{
            accountId,
            ...key,
            hostname: domain.hostname,
            uploadId: staging.uploadId,
            formerUploadId: base.id,
          },
          changes: changedUrls(operations, applied.found),
          entries: () => changedEntries(operations, applied.found),
        })
      : undefined;
    const publication = publicationOf({ deltas, base, applied, staging, record });
    try {
      const publish = dryRun ? tryToPublish : commitAlone;
      const published = await publish(options, publication);
      if (applied.written !== undefined && !dryRun) {
        options.onWritten?.(staging.files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0));
        options.generationFiles.add(staging.uploadId, applied.written.files);
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

const withCounts = (published: PublishedUpload, { found }: Applied, i: number): PublishedDelta => ({
  ...published,
  counts: found.counts[i]!,
});

function endsOf(deltas: readonly Delta[]): number[] {
  let end = 0;
  return deltas.map(({ operations }) => {
    end += operations.count;
    return end;
  });
}

/** Returns the live generation, once no upload is being placed in its files. Throws Refusal. */
async function waitForBase(
  { database }: PublishDeltasOptions,
  { domain, sitemapName }: Delta,
): Promise<DeltaBase> {
  const until = steadyNow() + MAX_WAIT_MS;
  for (;;) {
    const base = await findDeltaBase(database, { domainId: domain.id, sitemapName });
    if (base === undefined) throw noSuchSitemap(domain.hostname, sitemapName);
    if (!base.isPlacing) return base;
    if (steadyNow() > until) throw uploadIsPlaced();
    await sleep(LOOK_EVERY_MS);
  }
}

function publicationOf({
  deltas,
  base,
  applied,
  staging,
  record,
}: {
  readonly deltas: readonly Delta[];
  readonly base: DeltaBase;
  readonly applied: Applied;
  readonly staging: Staging;
  readonly record: Awaited<ReturnType<OpenDeltaRecord>> | undefined;
}): LonePublication {
  const { uploader, domain, sitemapName, terms } = deltas[0]!;
  const { written } = applied;
  const placed = written?.placed ?? { touched: [], totals: totalsOf(base) };
  const content = { ...placed.totals, print: base.print && printAfter(base.print, written?.digest ?? 0n) };
  const used = new Set(
    placed.touched.flatMap(({ uploadId, uploadN }) => (uploadId === staging.uploadId ? [uploadN] : [])),
  );
  const { uploadId, hasObjects } = staging;
  const staged = { uploadId, hasObjects, unused: staging.files.filter(({ n }) => !used.has(n)) };
  const attempts = deltas.map(({ attempt }) => attempt);
  return {
    kind: 'delta',
    id: staging.uploadId,
    ...{ uploader, domain, sitemapName, attempts },
    otherCallers: otherCallers(deltas),
    // Without a change, it is what the live generation is.
    ...(written === undefined ? { content, terms: { ...terms, force: false } } : { terms }),
    take: async (transaction, live) => {
      if (live?.id !== base.id) throw new Overtaken();
      if (written !== undefined) await takeObjects(transaction, staged);
      return content;
    },
    insert: (transaction, row) =>
      insertDelta(
        transaction,
        row,
        placed.touched,
        base.deltaOf,
        attempts.map((attempt) => attempt.publish(row.seq)),
      ),
    beforeCommit: () => staging.keep(),
    onPublished: async (transaction, published) => {
      await record?.commit(transaction);
      for (const [i, delta] of deltas.entries()) {
        await delta.onPublished(transaction, withCounts(published, applied, i));
      }
    },
  };
}

function changedUrls(operations: Operations, { changes }: Found) {
  const urls = { added: [] as string[], changed: [] as string[], removed: [] as string[] };
  const lists = new Map([
    [ADDED, urls.added],
    [CHANGED, urls.changed],
    [REMOVED, urls.removed],
  ]);
  for (const [i, change] of changes.entries()) lists.get(change)?.push(locOf(operations, i));
  return urls;
}

function* changedEntries(operations: Operations, { changes }: Found): Generator<Buffer, void, undefined> {
  for (const [i, change] of changes.entries()) {
    if (change === ADDED || change === CHANGED) yield xmlOf(operations, i);
  }
}

const totalsOf = ({ urlCount, fileCount, bytes, gzipBytes }: DeltaBase) => ({
  ...{ urlCount, fileCount, bytes, gzipBytes },
});

function printAfter({ digest, ...print }: ContentPrint, difference: bigint): ContentPrint {
  return { ...print, digest: String(BigInt.asIntN(64, BigInt(digest) + difference)) };
}

/** Returns the callers beside the first one, each once. */
function otherCallers(deltas: readonly Delta[]): Uploader[] {
  const idOf = ({ keyId, session }: Delta['uploader']) => keyId ?? session?.id;
  const callers = new Map(deltas.map(({ uploader }) => [idOf(uploader), uploader]));
  callers.delete(idOf(deltas[0]!.uploader));
  return [...callers.values()];
}

function noSuchSitemap(hostname: string, sitemapName: string): Refusal {
  const name = shownSitemapName(sitemapName);
  return new Refusal(
    'NOT_FOUND',
    `There is no sitemap ${name} on ${hostname}. A delta changes a sitemap that an upload has made.`,
  );
}

function uploadIsPlaced(): Refusal {
  const message = 'An upload of this sitemap is being published. Send the delta again afterwards.';
  return new Refusal('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: MAX_WAIT_MS / 1000 });
}

function tooManyChanges(): Refusal {
  const message =
    'Other changes of this sitemap came first, again and again. Send the delta again in a moment.';
  return new Refusal('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 });
}
