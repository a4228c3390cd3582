/** Makes the publication of deltas that were applied to the live generation. */
import type { ContentPrint } from '../content-print.ts';
import { endedAttempts, type PublishedUpload, type Uploader } from '../publishing/publication.ts';
import type { LonePublication } from '../publishing/publish-alone.ts';
import { filesBeside, Overtaken, takeObjects } from '../publishing/staged-upload.ts';
import type { Staging } from '../staging.ts';
import { insertDelta } from '../upload-store.ts';
import type { Applied } from './apply-deltas.ts';
import type { DeltaBase } from './base-store.ts';
import type { Delta, OpenDeltaRecord, PublishedDelta } from './delta.ts';

interface AppliedDeltas {
  readonly deltas: readonly Delta[];
  readonly base: DeltaBase;
  readonly applied: Applied;
  readonly staging: Staging;
  readonly record: Awaited<ReturnType<OpenDeltaRecord>> | undefined;
}

/** The publication throws Overtaken if another generation than `base` is live. */
export function deltaPublication({ deltas, base, applied, staging, record }: AppliedDeltas): LonePublication {
  const { uploader, domain, sitemapName, terms, attempt } = deltas[0]!;
  const { written } = applied;
  const placed = written?.placed ?? { touched: [], totals: totalsOf(base) };
  const content = { ...placed.totals, print: base.print && printAfter(base.print, written?.digest ?? 0n) };
  const used = new Set(
    placed.touched.flatMap(({ uploadId, uploadN }) => (uploadId === staging.uploadId ? [uploadN] : [])),
  );
  const { uploadId, hasObjects } = staging;
  const staged = { uploadId, hasObjects, unused: filesBeside(staging.files, used) };
  const attempts = deltas.map(({ attempt }) => attempt);
  return {
    kind: 'delta',
    // If nothing changes, no upload is inserted. Without a print, the publication does not see this, and inserts an upload.
    id: written === undefined && base.print !== null ? attempt.id : staging.uploadId,
    ...{ uploader, domain, sitemapName, attempts, otherCallers: otherCallers(deltas) },
    // If nothing changes, the content is that of the live generation.
    ...(written === undefined ? { content, terms: { ...terms, force: false } } : { terms }),
    take: async (transaction, live) => {
      if (live?.id !== base.id) throw new Overtaken();
      if (written !== undefined) await takeObjects(transaction, staged);
      return content;
    },
    insert: (transaction, row) =>
      insertDelta(transaction, row, placed.touched, base.deltaOf, endedAttempts({ attempts }, row)),
    beforeCommit: () => staging.keep(),
    onPublished: async (transaction, published) => {
      await record?.commit(transaction);
      for (const [i, delta] of deltas.entries()) {
        await delta.onPublished(transaction, withCounts(published, applied, i));
      }
    },
  };
}

/** Returns the answer to the delta `i` of a group. */
export const withCounts = (published: PublishedUpload, { found }: Applied, i: number): PublishedDelta => ({
  ...published,
  counts: found.counts[i]!,
});

const totalsOf = ({ urlCount, fileCount, bytes, gzipBytes }: DeltaBase) => ({
  ...{ urlCount, fileCount, bytes, gzipBytes },
});

function printAfter({ digest, ...print }: ContentPrint, difference: bigint): ContentPrint {
  return { ...print, digest: String(BigInt.asIntN(64, BigInt(digest) + difference)) };
}

/** Returns all callers but the first one, each once. */
function otherCallers(deltas: readonly Delta[]): Uploader[] {
  const idOf = ({ keyId, session }: Delta['uploader']) => keyId ?? session?.id;
  const callers = new Map(deltas.map(({ uploader }) => [idOf(uploader), uploader]));
  callers.delete(idOf(deltas[0]!.uploader));
  return [...callers.values()];
}
