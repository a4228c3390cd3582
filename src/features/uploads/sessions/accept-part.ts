/**
 * Takes a part of an upload session: its entries become files as those of an upload do. The row of the part is written last. Until
 * then nothing of it counts, and a part that is sent twice replaces itself.
 */
import { ENTRIES_PER_FILE } from '../../../core/sitemap/limits.ts';
import { contentDigest } from '../../../platform/content-digest.ts';
import { inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { addUsage } from '../../accounts/usage-change-store.ts';
import { addGarbage } from '../../sites/garbage-store.ts';
import type { UploadOptions } from '../accept-upload.ts';
import { tooManyStoredBytes } from '../allowance.ts';
import type { AttemptCounts } from '../attempt.ts';
import { DigestSum } from '../content-print.ts';
import { EntryJudge } from '../entry-judge.ts';
import { countEntries } from '../expected-count.ts';
import { parseDialect } from '../forms/dialect.ts';
import type { UploadForm } from '../forms/form.ts';
import type { FoundInBody } from '../forms/read-records.ts';
import { dialectWarnings, type ToldDialect, toldDialect } from '../forms/told-dialect.ts';
import type { Uploader } from '../publishing/publication.ts';
import { prefixesOf } from '../publishing/staged-upload.ts';
import { Rejects } from '../rejects.ts';
import { FileStager } from '../stage-files.ts';
import { type StagedFile, sumFiles } from '../staging.ts';
import { overBudget, renderWithinBudget } from '../url-budget.ts';
import { getOpenDomain, getSession } from './get-session.ts';
import { readPart } from './part-body.ts';
import { endWriter, findPart, putPart, type StoredPart } from './part-store.ts';
import { noSuchSession, notOpen, type UploadSession } from './session.ts';
import { growSession, lockSession } from './session-store.ts';
import { SessionWriter } from './writer.ts';

export type AcceptPartOptions = Pick<
  UploadOptions,
  'database' | 'storage' | 'pool' | 'readParquet' | 'openStaging' | 'newId' | 'getDomain'
>;

export interface PartHead {
  readonly sessionId: string;
  /** From 1. */
  readonly part: number;
  readonly form: UploadForm;
  /** The parameters of the dialect. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface AcceptedPart extends StoredPart {
  /** Whether the session had no part of this number. */
  readonly isNew: boolean;
  readonly hostname: string;
  readonly dialect: ToldDialect | undefined;
  readonly warnings: readonly string[];
}

/** Replaced objects are complete, so no put of them comes late. */
const REPLACED_MS = 60_000;

export interface PartWatch {
  /** Called at the end of the body. */
  check?(): void;
  /** Runs in the transaction that stores the part, last. If it throws, the part is not stored. */
  stored?(transaction: Transaction): Promise<void>;
}

/** `counts` follow the work. Throws Refusal; the session lives on. */
export async function acceptPart(
  options: AcceptPartOptions,
  uploader: Uploader,
  { sessionId, part, form, query }: PartHead,
  counts: AttemptCounts,
  body: AsyncIterable<Uint8Array>,
  watch: PartWatch = {},
): Promise<AcceptedPart> {
  await using scope = new AsyncDisposableStack();
  const { database, openStaging, newId } = options;
  const { accountId } = uploader;
  const session = await getSession(database, accountId, sessionId);
  await getOpenDomain(options, session);
  const dialect = parseDialect(form, query);
  const writerId = newId('upload');
  const { onInvalid, maxRejected, sizeLimit } = session.terms;
  const judged = {
    // A percentage is judged at the commit.
    tolerance: {
      onInvalid,
      maxRejected: maxRejected ?? undefined,
      maxRejectedPercent: undefined,
      dryRun: false,
    },
    expectedUrlCount: undefined,
  };
  const judge = new EntryJudge(writerId, judged, counts, new Rejects(options, accountId, writerId));
  const found: FoundInBody = {};
  let entries = 0;
  const batches = countEntries(
    readPart(form, dialect, body, found, options.readParquet(accountId)),
    (count) => {
      entries = count;
    },
  );
  const { urlsPerUpload } = uploader.allowance;
  const rendered = renderWithinBudget(batches, urlsPerUpload, dialect.where !== undefined, (within) =>
    options.pool.render(within, accountId, judge),
  );
  const digests = new DigestSum();
  const writer = new SessionWriter(database, session);
  const stager = new FileStager(
    { ...options, openStaging: (id, uploadId, isDry) => openStaging(id, uploadId, isDry, writer) },
    ...([uploader, counts, () => false, scope] as const),
  );
  const staged = await stager.stage(session.uploadId, digests.over(rendered), () => sizeLimit);
  watch.check?.();
  const kept = entries - judge.filtered;
  if (kept > 0) await judge.conclude(kept);
  await judge.keep(writerId);
  const { files } = staged;
  const { urlCount, gzipBytes } = sumFiles(files);
  const { rejected } = counts;
  const stored: StoredPart = {
    ...{ part, writerId, urlCount, rejected, gzipBytes, files },
    digest: digestOf(files, rejected),
    entriesDigest: digests.print(ENTRIES_PER_FILE[sizeLimit]).digest,
  };
  const told = {
    hostname: session.hostname,
    dialect: toldDialect(dialect, found, judge),
    warnings: dialectWarnings(dialect, found, judge),
  };
  return await inTransaction(database, async (transaction) => {
    await holdCaller(transaction, uploader);
    const locked = await lockSession(transaction, accountId, sessionId);
    if (locked === undefined) throw noSuchSession();
    if (locked.status !== 'open') throw notOpen(locked.status);
    const former = await findPart(transaction, sessionId, part);
    const isSame = former?.digest === stored.digest;
    await grow(transaction, uploader, locked, isSame ? former : stored, former);
    await addUsage(transaction, accountId, { urls: 0, bytes: counts.bytesReceived });
    if (isSame) {
      await watch.stored?.(transaction);
      return { ...former, ...told, isNew: false };
    }
    await putPart(transaction, sessionId, stored);
    if (writer.n !== undefined) await endWriter(transaction, sessionId, writer.n);
    const replaced = prefixesOf(session.uploadId, former?.files ?? []);
    if (replaced.length > 0) await addGarbage(transaction, replaced, REPLACED_MS);
    await watch.stored?.(transaction);
    staged.keep();
    return { ...stored, ...told, isNew: former === undefined };
  });
}

/** Counts the part in its session, which has room for as much as one upload. */
async function grow(
  transaction: Transaction,
  { allowance }: Uploader,
  session: UploadSession,
  part: StoredPart,
  former: StoredPart | undefined,
): Promise<void> {
  const growth = {
    parts: former === undefined ? 1 : 0,
    urlCount: part.urlCount - (former?.urlCount ?? 0),
    gzipBytes: part.gzipBytes - (former?.gzipBytes ?? 0),
  };
  const urls = session.urlCount + growth.urlCount;
  const bytes = session.gzipBytes + growth.gzipBytes;
  if (urls > allowance.urlsPerUpload) throw overBudget(allowance.urlsPerUpload);
  if (bytes > allowance.storedBytes) throw tooManyStoredBytes(allowance.storedBytes, session.gzipBytes);
  if (!(await growSession(transaction, session, growth))) throw notOpen('expired');
}

/** Identifies the files of a part, and the number of entries that it left out. */
function digestOf(files: readonly StagedFile[], rejected: number): string {
  const etags = files.map(({ etag }) => `${etag}\n`).join('');
  return contentDigest([Buffer.from(`${etags}${rejected}`)]);
}
