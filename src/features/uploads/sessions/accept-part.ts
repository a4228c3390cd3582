/**
 * Takes a part of an upload session: its entries become files, as the entries of an upload do. The row of the part is written last. Until
 * then nothing of the part counts. A part that is sent again replaces the former part of the same number.
 */
import { ENTRIES_PER_FILE } from '../../../core/sitemap/limits.ts';
import { contentDigest } from '../../../platform/content-digest.ts';
import {
  inTransaction,
  KEPT_PLANS,
  pipelined,
  type Transaction,
} from '../../../platform/postgres/database.ts';
import type { Refusal } from '../../../platform/refusal.ts';
import { holdCaller } from '../../accounts/hold-caller.ts';
import { addGarbage } from '../../sites/garbage-store.ts';
import type { UploadOptions } from '../accept-upload.ts';
import { tooManyStoredBytes } from '../allowance.ts';
import type { AttemptCounts } from '../attempt.ts';
import { DigestSum } from '../content-print.ts';
import { EntryJudge } from '../entry-judge.ts';
import { parseDialect } from '../forms/dialect.ts';
import type { UploadForm } from '../forms/form.ts';
import type { FoundInBody } from '../forms/read-records.ts';
import { dialectWarnings, type ToldDialect, toldDialect } from '../forms/told-dialect.ts';
import type { OpenStaging } from '../open-staging.ts';
import type { Uploader } from '../publishing/publication.ts';
import { prefixesOf } from '../publishing/staged-upload.ts';
import { Rejects } from '../rejects.ts';
import { FileStager } from '../stage-files.ts';
import { type StagedFile, sumFiles } from '../staging.ts';
import { overBudget, renderWithinBudget } from '../url-budget.ts';
import { readPart } from './part-body.ts';
import type { StoredPart } from './part-store.ts';
import { putPart, type SessionWithPart } from './put-part-store.ts';
import { noSuchSession, notOpen } from './session.ts';
import { findSessionOfDomain, lockParts } from './session-store.ts';
import { SessionWriter } from './writer.ts';

export type AcceptPartOptions = Pick<
  UploadOptions,
  'database' | 'storage' | 'pool' | 'readParquet' | 'openStaging' | 'newId' | 'beginWriter' | 'partTurns'
>;

export interface PartHead {
  readonly sessionId: string;
  /** The number of the part, from 1. */
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

/** The time after which the objects of a replaced part are deleted. They are complete, so no late put can store them again. */
const REPLACED_MS = 60_000;

export interface PartWatch {
  /** Called at the end of the body. */
  check?(): void;
  /** Called if all entries of the part are invalid. The part is stored all the same: `refusal` is for a session without a valid entry. */
  onlyInvalid?(refusal: Refusal): void;
  /** Runs last in the transaction that stores the part. If it throws, the part is not stored. */
  stored?(transaction: Transaction): Promise<void>;
}

/** Accepts a part. `counts` change while the part is read. Throws Refusal, which leaves the session as it is. */
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
  const session = await findSessionOfDomain(database, accountId, sessionId);
  if (session === undefined) throw noSuchSession();
  if (session.status !== 'open') throw notOpen(session.status);
  const dialect = parseDialect(form, query);
  const writerId = newId('upload');
  const { onInvalid, maxRejected, sizeLimit } = session.terms;
  const judged = {
    // The commit judges the percentage among the entries of all parts. A part may have no valid entry.
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
  const batches = readPart(form, dialect, body, found, options.readParquet(accountId));
  const { urlsPerUpload } = uploader.allowance;
  const rendered = renderWithinBudget(batches, urlsPerUpload, dialect.where !== undefined, (within) =>
    options.pool.render(within, accountId, judge),
  );
  const digests = new DigestSum();
  const writer = new SessionWriter(database, session, options.beginWriter);
  const openPart: OpenStaging = (id, uploadId, isDry) => openStaging(id, uploadId, isDry, writer);
  const staging = { ...options, openStaging: openPart };
  const stager = new FileStager(staging, uploader, counts, () => false, scope);
  const staged = await stager.stage(session.uploadId, digests.over(rendered), () => sizeLimit);
  watch.check?.();
  await judge.keep(writerId);
  const { files } = staged;
  const { urlCount, gzipBytes } = sumFiles(files);
  const { rejected } = counts;
  if (urlCount === 0 && rejected > 0) watch.onlyInvalid?.(judge.refusalOfAll(rejected));
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
  const store = async (transaction: Transaction) => {
    const { bytesReceived } = counts;
    const put = { accountId, sessionId, part: stored, writer: writer.n, bytesReceived };
    const [, , grown] = await pipelined([
      holdCaller(transaction, uploader),
      lockParts(transaction, sessionId),
      putPart(transaction, put),
    ]);
    const former = judgeSession(grown, uploader, gzipBytes);
    const isSame = former?.digest === stored.digest;
    const replaced = isSame ? [] : prefixesOf(session.uploadId, former?.files ?? []);
    if (replaced.length > 0) await addGarbage(transaction, replaced, REPLACED_MS);
    await watch.stored?.(transaction);
    if (isSame) return { ...former, ...told, isNew: false };
    staged.keep();
    return { ...stored, ...told, isNew: former === undefined };
  };
  return await options.partTurns.run(accountId, () => inTransaction(database, store, KEPT_PLANS));
}

/**
 * Returns the former part of this number. Throws Refusal if there is no such session, if the session is not open, or if it now has more
 * URLs or bytes than an upload of the account may have.
 */
function judgeSession(
  session: SessionWithPart | undefined,
  { allowance }: Uploader,
  partBytes: number,
): StoredPart | undefined {
  if (session === undefined) throw noSuchSession();
  const { status, urlCount, gzipBytes, former } = session;
  if (status !== 'open') throw notOpen(status);
  if (urlCount > allowance.urlsPerUpload) throw overBudget(allowance.urlsPerUpload);
  if (gzipBytes > allowance.storedBytes) {
    throw tooManyStoredBytes(allowance.storedBytes, gzipBytes - partBytes + (former?.gzipBytes ?? 0));
  }
  return former ?? undefined;
}

/** Identifies the files of a part, and the number of entries that it left out. */
function digestOf(files: readonly StagedFile[], rejected: number): string {
  const etags = files.map(({ etag }) => `${etag}\n`).join('');
  return contentDigest([Buffer.from(`${etags}${rejected}`)]);
}
