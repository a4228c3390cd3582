/** All dependencies of an upload, over a real database and a folder storage, and a view of its results. */
import { afterAll } from 'vitest';
import { openDeltaRecord } from '../../src/features/changes/record-delta.ts';
import type { OpenChange, Placement } from '../../src/features/domains/domain.ts';
import { createGetDomain } from '../../src/features/domains/own-domain.ts';
import { takeWarnings } from '../../src/features/page-hosts/take-warnings.ts';
import { openChange } from '../../src/features/sites/change-site.ts';
import type { CollectGarbageOptions } from '../../src/features/sites/collect-garbage.ts';
import { openSites } from '../../src/features/sites/open-sites.ts';
import type { AcceptedUpload, UploadHead, UploadOptions } from '../../src/features/uploads/accept-upload.ts';
import { acceptUpload } from '../../src/features/uploads/accept-upload.ts';
import type { Allowance } from '../../src/features/uploads/allowance.ts';
import { Attempt } from '../../src/features/uploads/attempt.ts';
import { type AcceptedDelta, acceptDelta } from '../../src/features/uploads/deltas/accept-delta.ts';
import type { Delta, PublishedDelta } from '../../src/features/uploads/deltas/delta.ts';
import {
  createPublishDelta,
  type DeltaGroupsOptions,
  type PublishDelta,
} from '../../src/features/uploads/deltas/delta-groups.ts';
import { DeltaThreads } from '../../src/features/uploads/deltas/delta-threads.ts';
import { GenerationFiles } from '../../src/features/uploads/deltas/generation-files.ts';
import type { PublishDeltasOptions } from '../../src/features/uploads/deltas/publish-deltas.ts';
import { DELTA_BUDGET } from '../../src/features/uploads/deltas/read-delta.ts';
import { SmallFilesCache } from '../../src/features/uploads/deltas/small-files-cache.ts';
import { HoldBudget } from '../../src/features/uploads/hold-budget.ts';
import { reservation } from '../../src/features/uploads/open-staging.ts';
import { ParquetReader } from '../../src/features/uploads/parquet/parquet-reader.ts';
import { createPlacementThread } from '../../src/features/uploads/placement/place-upload.ts';
import type { Uploader, UploadTerms } from '../../src/features/uploads/publishing/publication.ts';
import { publishHeldUpload } from '../../src/features/uploads/publishing/publish-held-upload.ts';
import { createPublishInGroups } from '../../src/features/uploads/publishing/publish-in-groups.ts';
import { createRenderPool, type RenderPool } from '../../src/features/uploads/render-pool.ts';
import { createBeginWriter } from '../../src/features/uploads/sessions/writer.ts';
import { Staging } from '../../src/features/uploads/staging.ts';
import { StagingRoom } from '../../src/features/uploads/staging-room.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { addKey } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

const JSON_HEAD: UploadHead = { form: 'json', query: {} };
const ALLOWANCE: Allowance = { urlsPerUpload: 200_000, storedBytes: 1e9, sitemapsPerDomain: 1000 };

export const DAY_MS = 24 * 3_600_000;

type WriteSite = (hostname: string) => Promise<unknown>;

type Changed = Partial<UploadOptions> & {
  readonly allowance?: Partial<Allowance>;
  readonly writeSite?: WriteSite;
  /** For bodies in another form than JSON. */
  readonly head?: UploadHead;
};

interface DeltaChanged extends Partial<DeltaGroupsOptions> {
  readonly allowance?: Partial<Allowance> | undefined;
  /** For lines. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

export interface UploadFixture {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly options: UploadOptions &
    PublishDeltasOptions & { readonly openChange: OpenChange; readonly now: () => Date };
  readonly writeSite: WriteSite;
  /** The clock behind `publishTime`. */
  readonly clock: { now: Date };
  /** Uploads a body: text, or an object to send as JSON. */
  upload(accountId: string, body: string | object | Buffer, changed?: Changed): Promise<AcceptedUpload>;
  /** Uploads the bytes of a document as they come. */
  uploadBytes(accountId: string, body: AsyncIterable<Uint8Array>, changed?: Changed): Promise<AcceptedUpload>;
  /** Reads a delta and publishes nothing. */
  readDelta(accountId: string, body: string | object): Promise<Delta>;
  /** Sends a delta: an object as JSON, or lines. */
  delta(accountId: string, body: string | object, changed?: DeltaChanged): Promise<AcceptedDelta>;
  /** Publishes an upload that is held. */
  publishHeld(
    accountId: string,
    uploadId: string,
    terms?: Partial<UploadTerms>,
    changed?: Changed,
  ): Promise<AcceptedUpload>;
  /** Returns the uploader of an account, with the options of an upload. */
  uploaderOf(accountId: string, allowance?: Partial<Allowance>): Promise<Uploader>;
  /** For the collector: there is room for all replaced files. */
  readonly collecting: CollectGarbageOptions;
  keys(prefix?: string): Promise<string[]>;
  garbage(): Promise<string[]>;
}

/** The threads for all files of a worker: a thread takes longer to start than most files render. They end with the worker. */
let threads: RenderPool | undefined;

/** Without `seesUnchanged`, an upload of the same list makes a new generation, as most tests want. Uploads go in order, too. */
export async function createUploadFixture({
  seesUnchanged = false,
  placement = 'order',
}: {
  seesUnchanged?: boolean;
  placement?: Placement;
} = {}): Promise<UploadFixture> {
  const { database } = await createTestDatabase();
  const storage = await openFolderStorage(await createTemporaryFolder());
  threads ??= createRenderPool({ threads: 1, transcodes: true, hashSeed: 1n, log: collectLog() });
  const placementThread = createPlacementThread();
  const deltaThreads = new DeltaThreads();
  const parquet = new ParquetReader({ database, storage, newId, log: collectLog() });
  afterAll(async () => {
    for (const opened of [placementThread, deltaThreads, parquet]) await opened[Symbol.asyncDispose]();
  });
  const getDomain = createGetDomain(database);
  const pool = seesUnchanged ? threads : withOtherDigests(threads);
  const clock = { now: new Date('2026-01-15T10:00:00Z') };
  const publicOrigin = 'https://{hostname}';
  const site = { database, log: collectLog(), publicOrigin, keepReplacedMs: DAY_MS, places: 2 };
  const writeSiteIn = (storage: ObjectStorage) => openSites({ ...site, storage }).write;
  const publishTurns = new Turns(Number.POSITIVE_INFINITY, 4);
  const options = optionsOver(storage);
  // All deltas without changes share their groups.
  const deltaBudget = new HoldBudget(DELTA_BUDGET);
  const publishDeltas = createPublishDelta({ ...options, bytesPerMinute: 1e12 });

  function publishingWith(writeSite: WriteSite) {
    const publishing = {
      database,
      keepReplacedMs: DAY_MS,
      publishTime: () => clock.now,
      now: () => clock.now,
      publicOrigin,
      takeWarnings,
      writeSite,
      openChange: () => openChange({ database, writeSite }),
    };
    return { ...publishing, publishSmall: createPublishInGroups({ ...publishing, alone: 2 }) };
  }

  function optionsOver(storage: ObjectStorage): UploadFixture['options'] {
    return {
      ...publishingWith(writeSiteIn(storage)),
      publishTurns,
      partTurns: new Turns(Number.POSITIVE_INFINITY, 4),
      storage,
      pool,
      readParquet: parquet.readerOf,
      holdBudget: new HoldBudget(),
      newId,
      beginWriter: createBeginWriter(database),
      log: collectLog(),
      hashSeed: 1n,
      placementThread,
      placementTurns: new Turns(1),
      deltaThreads,
      generationFiles: new GenerationFiles(),
      smallFiles: new SmallFilesCache(),
      openDeltaRecord: (delta) =>
        openDeltaRecord(
          { database, storage, openSink: async () => undefined, onCounted: async () => {} },
          delta,
        ),
      getDomain: async (accountId, hostname) => ({ ...(await getDomain(accountId, hostname)), placement }),
      openStaging: (account, uploadId, isDry, partial) =>
        new Staging(uploadId, {
          ...{ hashSeed: 1n, accountId: account, room: new StagingRoom() },
          storage: {
            putNew: async (key, parts) => void (isDry() || (await storage.putNew(key, parts))),
            deleteMany: async (keys) => void (isDry() || (await storage.deleteMany(keys))),
          },
          ...reservation(database, partial),
          onLeftBehind: (error) => {
            throw error;
          },
        }),
    };
  }

  async function changedFor(
    accountId: string,
    { allowance, writeSite: otherWriteSite, head = JSON_HEAD, ...changed }: Changed,
  ) {
    const overStorage = changed.storage && optionsOver(changed.storage);
    const publishing = otherWriteSite && publishingWith(otherWriteSite);
    const all = { ...options, ...overStorage, ...publishing, ...changed };
    // All uploads without changes share their groups.
    const publishSmall =
      otherWriteSite === undefined && Object.keys(changed).length === 0
        ? all.publishSmall
        : createPublishInGroups({ ...all, alone: 2 });
    const session = { session: null, address: null };
    return {
      all: { ...all, publishSmall },
      head,
      uploader: {
        accountId,
        ...session,
        keyId: await keyOf(accountId),
        allowance: { ...ALLOWANCE, ...allowance },
      },
    };
  }

  const keys = new Map<string, Promise<string>>();
  function keyOf(accountId: string): Promise<string> {
    const key = keys.get(accountId) ?? addKey(database, accountId);
    keys.set(accountId, key);
    return key;
  }

  async function uploadBytes(accountId: string, body: AsyncIterable<Uint8Array>, changed: Changed = {}) {
    const { all, head, uploader } = await changedFor(accountId, changed);
    const source = { encoding: null, userAgent: null, keyId: uploader.keyId, userId: null };
    return acceptUpload(all, uploader, new Attempt(newId('upload'), source), head, body);
  }

  async function acceptBy(
    publishDelta: PublishDelta,
    accountId: string,
    body: string | object,
    { allowance, query = {} }: Pick<DeltaChanged, 'allowance' | 'query'> = {},
  ): Promise<AcceptedDelta> {
    const keyId = await keyOf(accountId);
    const caller = { accountId, keyId, session: null, address: null };
    const uploader = { ...caller, allowance: { ...ALLOWANCE, ...allowance } };
    const attempt = new Attempt(newId('delta'), { encoding: null, userAgent: null, keyId, userId: null });
    const head = { form: typeof body === 'string' ? 'ndjson' : 'json', query } as const;
    return acceptDelta({ ...options, publishDelta, deltaBudget }, uploader, attempt, head, chunksOf(body));
  }

  return {
    database,
    storage,
    options,
    writeSite: writeSiteIn(storage),
    clock,
    readDelta: async (accountId, body) => {
      const read = Promise.withResolvers<Delta>();
      const publishDelta = async (delta: Delta) => {
        read.resolve(delta);
        return {} as PublishedDelta;
      };
      await acceptBy(publishDelta, accountId, body);
      return read.promise;
    },
    delta: (accountId, body, { allowance, query, ...changed } = {}) => {
      const isChanged = Object.keys(changed).length > 0;
      const publishDelta = isChanged
        ? createPublishDelta({ ...options, bytesPerMinute: 1e12, ...changed })
        : publishDeltas;
      return acceptBy(publishDelta, accountId, body, { allowance, query });
    },
    upload: (accountId, body, changed) => uploadBytes(accountId, chunksOf(body), changed),
    uploadBytes,
    publishHeld: async (accountId, uploadId, terms = {}, changed = {}) => {
      const { all, uploader } = await changedFor(accountId, changed);
      return publishHeldUpload(all, uploader, uploadId, { force: false, ifGeneration: undefined, ...terms });
    },
    uploaderOf: async (accountId, allowance = {}) => (await changedFor(accountId, { allowance })).uploader,
    collecting: {
      ...{ database, storage, log: collectLog() },
      keepReplacedMs: DAY_MS,
      replacedBytes: { business: 1e9 },
    },
    keys: async (prefix = '') => (await collect(storage.list(prefix))).map(({ key }) => key).sort(),
    garbage: async () =>
      (await database.query('SELECT prefix FROM garbage ORDER BY prefix')).rows.map(({ prefix }) => prefix),
  };
}

/** Renders in `threads`, with digests that no other upload has. */
function withOtherDigests(threads: RenderPool): RenderPool {
  let uploads = 0n;
  return {
    ...threads,
    load: () => threads.load(),
    async *render(...asked) {
      uploads += 1n;
      const other = uploads;
      for await (const fragment of threads.render(...asked)) {
        yield { ...fragment, digest: fragment.digest + other };
      }
    },
  };
}

async function* chunksOf(body: string | object | Buffer): AsyncGenerator<Uint8Array> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
}
