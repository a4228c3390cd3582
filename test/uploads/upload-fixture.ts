/** Everything that an upload needs, over a real database and a folder storage, and a view of what it left. */
import { afterAll } from 'vitest';
import { createGetDomain } from '../../src/domains/own-domain.ts';
import { takeWarnings } from '../../src/page-hosts/take-warnings.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { createChangeSite } from '../../src/sites/change-site.ts';
import { addGarbage, rescueFromGarbage } from '../../src/sites/garbage-store.ts';
import { uploadPrefix } from '../../src/sites/site.ts';
import { inTurn } from '../../src/sites/write-in-turn.ts';
import { writeSite } from '../../src/sites/write-site.ts';
import { writeSites } from '../../src/sites/write-sites.ts';
import type { AcceptedUpload, UploadHead, UploadOptions } from '../../src/uploads/accept-upload.ts';
import { acceptUpload } from '../../src/uploads/accept-upload.ts';
import type { Allowance } from '../../src/uploads/allowance.ts';
import { Attempt } from '../../src/uploads/attempt.ts';
import { HoldBudget } from '../../src/uploads/hold-budget.ts';
import { publishHeldUpload } from '../../src/uploads/publish-held-upload.ts';
import { createPublishInGroups } from '../../src/uploads/publish-in-groups.ts';
import type { UploadTerms } from '../../src/uploads/publish-upload.ts';
import { createRenderPool } from '../../src/uploads/render-pool.ts';
import { Staging } from '../../src/uploads/staging.ts';
import { addKey } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
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

export interface UploadFixture {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly options: UploadOptions;
  readonly writeSite: WriteSite;
  /** The clock behind `now`. */
  readonly clock: { now: Date };
  /** Uploads a body: text, or an object to send as JSON. */
  upload(accountId: string, body: string | object | Buffer, changed?: Changed): Promise<AcceptedUpload>;
  /** Uploads the bytes of a document as they come. */
  uploadBytes(accountId: string, body: AsyncIterable<Uint8Array>, changed?: Changed): Promise<AcceptedUpload>;
  /** Publishes an upload that is held. */
  publishHeld(
    accountId: string,
    uploadId: string,
    terms?: Partial<UploadTerms>,
    changed?: Changed,
  ): Promise<AcceptedUpload>;
  keys(prefix?: string): Promise<string[]>;
  garbage(): Promise<string[]>;
}

export async function createUploadFixture(): Promise<UploadFixture> {
  const { database } = await createTestDatabase();
  const storage = await openFolderStorage(await createTemporaryFolder());
  const pool = createRenderPool({ threads: 1, transcodes: true });
  afterAll(() => pool[Symbol.asyncDispose]());
  const clock = { now: new Date('2026-01-15T10:00:00Z') };
  const publicOrigin = 'https://{hostname}';
  const writeSiteIn = (storage: ObjectStorage) => {
    const site = { database, storage, publicOrigin, keepReplacedMs: DAY_MS };
    const together = (hostnames: readonly string[]) => writeSites(site, hostnames);
    return inTurn({ together, alone: (hostname) => writeSite(site, hostname) }, 2);
  };
  const publishTurns = new Turns(Number.POSITIVE_INFINITY, 4);
  const options = optionsOver(storage);

  function publishingWith(writeSite: WriteSite) {
    const publishing = {
      database,
      keepReplacedMs: DAY_MS,
      now: () => clock.now,
      publicOrigin,
      holdCaller: async () => {},
      takeWarnings,
      changeSite: createChangeSite({ database, writeSite }),
    };
    return { ...publishing, publishSmall: createPublishInGroups({ ...publishing, writeSite, alone: 2 }) };
  }

  function optionsOver(storage: ObjectStorage): UploadOptions {
    return {
      ...publishingWith(writeSiteIn(storage)),
      publishTurns,
      storage,
      pool,
      holdBudget: new HoldBudget(),
      newId,
      getDomain: createGetDomain(database),
      openStaging: (_accountId, uploadId, isDry) =>
        new Staging(uploadId, {
          storage: {
            putNew: async (key, parts) => void (isDry() || (await storage.putNew(key, parts))),
            deleteMany: async (keys) => void (isDry() || (await storage.deleteMany(keys))),
          },
          reserve: (id) => addGarbage(database, [uploadPrefix(id)], DAY_MS),
          release: async (id) => void (await rescueFromGarbage(database, uploadPrefix(id))),
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
    const writeSite = otherWriteSite ?? writeSiteIn(all.storage);
    // All uploads without changes share their groups.
    const publishSmall =
      otherWriteSite === undefined && Object.keys(changed).length === 0
        ? all.publishSmall
        : createPublishInGroups({ ...all, writeSite, alone: 2 });
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

  return {
    database,
    storage,
    options,
    writeSite: writeSiteIn(storage),
    clock,
    upload: (accountId, body, changed) => uploadBytes(accountId, chunksOf(body), changed),
    uploadBytes,
    publishHeld: async (accountId, uploadId, terms = {}, changed = {}) => {
      const { all, uploader } = await changedFor(accountId, changed);
      return publishHeldUpload(all, uploader, uploadId, { force: false, ifGeneration: undefined, ...terms });
    },
    keys: async (prefix = '') => (await collect(storage.list(prefix))).map(({ key }) => key).sort(),
    garbage: async () =>
      (await database.query('SELECT prefix FROM garbage ORDER BY prefix')).rows.map(({ prefix }) => prefix),
  };
}

async function* chunksOf(body: string | object | Buffer): AsyncGenerator<Uint8Array> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
}
