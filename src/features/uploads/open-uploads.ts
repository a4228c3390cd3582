/** Opens the operations on uploads and sitemaps that other features use, over the database and the object storage of the process. */
import { Turns } from '../../platform/concurrency/turns.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { verbsOn } from '../../platform/verb.ts';
import { createGetDomain } from '../domains/own-domain.ts';
import type { Sites } from '../sites/open-sites.ts';
import type { SiteOrigins } from '../sites/site.ts';
import { acceptUpload, type UploadOptions } from './accept-upload.ts';
import { deleteSitemap } from './delete-sitemap.ts';
import { acceptDelta } from './deltas/accept-delta.ts';
import type { OpenDeltaRecord } from './deltas/delta.ts';
import { createPublishDelta } from './deltas/delta-groups.ts';
import { DeltaThreads } from './deltas/delta-threads.ts';
import { GenerationFiles } from './deltas/generation-files.ts';
import { DELTA_BUDGET } from './deltas/read-delta.ts';
import { SmallFilesCache } from './deltas/small-files-cache.ts';
import type { UploadForm } from './forms/form.ts';
import { expectUploads } from './freshness/expect-uploads.ts';
import { HoldBudget } from './hold-budget.ts';
import { askLoad } from './loads/ask-load.ts';
import { cancelLoad } from './loads/cancel-load.ts';
import { createLoadQueue, type RunLoadOptions } from './loads/run-load.ts';
import { tryConnection } from './loads/try-connection.ts';
import { createOpenStaging } from './open-staging.ts';
import { openUploadViews } from './open-upload-views.ts';
import { ParquetReader } from './parquet/parquet-reader.ts';
import { createPlacementThread } from './placement/place-upload.ts';
import { type PreviewQuery, previewUpload } from './preview-upload.ts';
import { discardHeldUpload } from './publishing/discard-held-upload.ts';
import type { PublishOptions } from './publishing/publication.ts';
import { publishHeldUpload } from './publishing/publish-held-upload.ts';
import { createPublishInGroups } from './publishing/publish-in-groups.ts';
import { rollBack } from './publishing/roll-back.ts';
import { createRecordAttempts } from './record-attempts.ts';
import { createRenderHere } from './render-here.ts';
import { createRenderPool } from './render-pool.ts';
import {
  callHook,
  deleteHook,
  deleteSchedule,
  makeHook,
  runScheduleNow,
  setSchedule,
} from './schedules/change-schedule.ts';
import { acceptPart } from './sessions/accept-part.ts';
import { commitSession } from './sessions/commit-session.ts';
import { abortSession } from './sessions/end-sessions.ts';
import { openSession } from './sessions/open-session.ts';
import { createBeginWriter } from './sessions/writer.ts';

export interface OpenUploadsOptions extends SiteOrigins {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly log: Log;
  /** The disposal of the scope ends the threads. */
  readonly scope: AsyncDisposableStack;
  readonly sites: Pick<Sites, 'openChange' | 'write'>;
  readonly keepReplacedMs: number;
  readonly threads: number;
  /** Whether entries are transcoded (docs/decisions/0011). */
  readonly transcodes: boolean;
  /** The seed of the hashes of entries. All processes use the same one. */
  readonly hashSeed: bigint;
  /** The most uploads of an account that are published at once outside of groups, and the most parts that are stored at once. */
  readonly perAccount: number;
  /** The number of connections to Postgres for small uploads that are published alone, because locks kept them out of a group. */
  readonly apart: number;
  readonly takeWarnings: PublishOptions['takeWarnings'];
  readonly openDeltaRecord: OpenDeltaRecord;
  readonly loading: Pick<RunLoadOptions, 'reader' | 'reachStore' | 'plans' | 'reports' | 'emitRefused'>;
  /** When the deltas of a sitemap have written this many bytes in a minute in this process, its next deltas wait. */
  readonly deltaBytesPerMinute: number;
  /** Work that continues after the answer to its request. */
  readonly underWay: Set<Promise<unknown>>;
}

/** The most buckets that `tryConnection` asks at once: of all accounts, and of one account. */
const TRIALS = 32;
const TRIALS_OF_ACCOUNT = 8;

/** A form, a query, and the beginning of a body or a whole Parquet file. */
type Asked = [form: UploadForm, query: PreviewQuery, body: Buffer];

export type Uploads = ReturnType<typeof openUploads>;

export function openUploads(options: OpenUploadsOptions) {
  const { database, storage, log, scope, sites, threads, transcodes, hashSeed, underWay } = options;
  const pool = scope.use(createRenderPool({ threads, transcodes, hashSeed, log }));
  const renderHere = createRenderHere({ threads: pool, transcodes, hashSeed });
  const publishing = { ...options, writeSite: sites.write };
  const now = () => new Date();
  const openStaging = createOpenStaging({ database, storage, log, underWay, hashSeed });
  const getDomain = createGetDomain(database);
  const parquet = scope.use(new ParquetReader({ database, storage, newId, log }));
  const accepting: UploadOptions = {
    ...publishing,
    publishSmall: createPublishInGroups({ ...publishing, alone: options.apart }),
    // No upload slots limit the uploads of small bodies, and some of these uploads are published outside of groups.
    publishTurns: new Turns(Number.POSITIVE_INFINITY, options.perAccount),
    partTurns: new Turns(Number.POSITIVE_INFINITY, options.perAccount),
    pool,
    readParquet: parquet.readerOf,
    holdBudget: new HoldBudget(),
    openStaging,
    beginWriter: createBeginWriter(database),
    getDomain,
    newId,
    placementThread: scope.use(createPlacementThread()),
    placementTurns: new Turns(1),
  };
  const publishDelta = createPublishDelta({
    ...{ ...publishing, newId, openStaging },
    bytesPerMinute: options.deltaBytesPerMinute,
    deltaThreads: scope.use(new DeltaThreads()),
    generationFiles: new GenerationFiles(),
    smallFiles: new SmallFilesCache(),
  });
  const deltaBudget = new HoldBudget(DELTA_BUDGET);
  const acceptingDeltas = { publishDelta, getDomain, deltaBudget };
  return {
    newId,
    /** `accept` and `acceptPart` render in threads. */
    ...verbsOn(accepting, { accept: acceptUpload, acceptPart, openSession, commitSession }),
    ...verbsOn(accepting, { askLoad }),
    ...verbsOn(database, { abortSession, cancelLoad, discardHeld: discardHeldUpload, expectUploads }),
    ...verbsOn({ database, newId }, { setSchedule }),
    ...verbsOn(database, { deleteSchedule, runScheduleNow, makeHook, deleteHook, callHook }),
    ...verbsOn({ ...acceptingDeltas, pool }, { acceptDelta }),
    /** These operations render small bodies on the main thread, or in threads if a body has many invalid entries. */
    ...verbsOn(
      { ...accepting, pool: renderHere },
      { acceptSmall: acceptUpload, acceptSmallPart: acceptPart },
    ),
    ...verbsOn({ ...acceptingDeltas, pool: renderHere }, { acceptSmallDelta: acceptDelta }),
    ...verbsOn(
      { ...publishing, newId, openChange: sites.openChange },
      { publishHeld: publishHeldUpload, rollBack, deleteSitemap },
    ),
    ...openUploadViews(options),
    loads: createLoadQueue({ ...accepting, ...options.loading, now, log }),
    ...verbsOn(
      { ...publishing, ...options.loading, now, turns: new Turns(TRIALS, TRIALS_OF_ACCOUNT) },
      { tryConnection },
    ),
    preview: (accountId: string, ...asked: Asked) => previewUpload(...asked, parquet.readerOf(accountId)),
    recordAttempt: createRecordAttempts({ database, underWay, log }),
    renderLoad: () => renderHere.load(),
  };
}
