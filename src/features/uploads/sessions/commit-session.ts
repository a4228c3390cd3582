/**
 * Publishes the parts of an upload session as one generation, like an upload that came in one body. During a commit, a lease keeps parts
 * and other commits away. The transaction of the publication stores the outcome in the session. So a client that lost the answer can repeat
 * its commit, and gets the same answer.
 */
import { ENTRIES_PER_FILE } from '../../../core/sitemap/limits.ts';
import { XML_VERSION } from '../../../core/sitemap/xml-version.ts';
import type { Database, Transaction } from '../../../platform/postgres/database.ts';
import { holdLease } from '../../../platform/postgres/hold-lease.ts';
import { invalidField, type Refusal } from '../../../platform/refusal.ts';
import type { AcceptedUpload, UploadOptions } from '../accept-upload.ts';
import type { Attempt } from '../attempt.ts';
import { refuseOtherCount } from '../expected-count.ts';
import { GuardRefusal } from '../guard.ts';
import type { PartialStaging } from '../open-staging.ts';
import { isOverPercent } from '../percent.ts';
import type { PublishedUpload, Uploader, UploadTerms } from '../publishing/publication.ts';
import { publishAsAsked } from '../publishing/publish-as-asked.ts';
import { publishHeldUpload } from '../publishing/publish-held-upload.ts';
import { UNUSED_MS } from '../publishing/staged-upload.ts';
import type { ReceivingDomain } from '../upload-members.ts';
import { chooseParts, type WantedParts } from './choose-parts.ts';
import { arrangeFiles, packTails } from './pack-tails.ts';
import { endWriter, endWriters, readParts, type StoredPart } from './part-store.ts';
import { type CommittedUpload, noSuchSession, notOpen, type UploadSession } from './session.ts';
import {
  COMMIT_LEASE_MS,
  discardObjects,
  endSession,
  findSession,
  lockCommit,
  releaseCommit,
  renewCommit,
  takeCommit,
} from './session-store.ts';
import { SessionWriter } from './writer.ts';

export interface AskedCommit {
  readonly wanted: WantedParts;
  readonly terms: UploadTerms;
  readonly dryRun: boolean;
}

type OnAccepted = (transaction: Transaction, upload: AcceptedUpload) => Promise<void>;

/** The staging of a dry run. A dry run stores no files, so it takes no numbers. */
const UNWRITTEN: PartialStaging = { nextNumber: async () => 0, discarded: async () => {} };

/**
 * Fills `attempt` in as for an upload. The attempt gets the id of the upload once the upload is published or held. Throws Refusal, for
 * example CONFLICT while another commit is under way, or if parts are missing. After a GuardRefusal the upload is held, but not after a
 * dry run.
 */
export async function commitSession(
  options: UploadOptions,
  uploader: Uploader,
  attempt: Attempt,
  sessionId: string,
  asked: AskedCommit,
  onPublished: OnAccepted = async () => {},
): Promise<AcceptedUpload> {
  const { database } = options;
  const { accountId } = uploader;
  const session = await getSession(database, accountId, sessionId);
  const earlier = await commitAgain(options, uploader, attempt, session, asked, onPublished);
  if (earlier !== undefined) return earlier;
  if (session.status !== 'open') throw notOpen(session.status);
  const domain = await options.getDomain(accountId, session.hostname);
  // The hostname was deleted and registered again.
  if (domain.id !== session.domainId) throw noSuchSession();
  const fence = await takeCommit(database, sessionId);
  if (fence === undefined) {
    // Another commit was faster.
    const now = await getSession(database, accountId, sessionId);
    const its = await commitAgain(options, uploader, attempt, now, asked, onPublished);
    if (its !== undefined) return its;
    throw notOpen(now.status === 'open' ? 'committing' : now.status);
  }
  const renew = () => renewCommit(database, sessionId, fence);
  await using _lease = holdLease({
    lengthMs: COMMIT_LEASE_MS,
    renew,
    release: () => releaseCommit(database, sessionId, fence),
  });
  // Renew at once, because a renewal also keeps the objects, and the session may be about to end.
  await renew();
  return await commitOnce(options, uploader, attempt, session, asked, { domain, fence, onPublished });
}

/** Throws Refusal NOT_FOUND. */
async function getSession(database: Database, accountId: string, sessionId: string): Promise<UploadSession> {
  const session = await findSession(database, accountId, sessionId);
  if (session === undefined) throw noSuchSession();
  return session;
}

/**
 * Returns the outcome of a session that is committed already. Publishes the upload of a held session. Returns undefined for any other
 * session.
 */
async function commitAgain(
  options: UploadOptions,
  uploader: Uploader,
  attempt: Attempt,
  session: UploadSession,
  { terms, dryRun }: AskedCommit,
  onPublished: OnAccepted,
): Promise<AcceptedUpload | undefined> {
  const { hostname, uploadId, published, status } = session;
  if (published === null && status !== 'held' && status !== 'committed') return undefined;
  // A dry run of a held upload tells nothing new, because the guard has judged the upload already.
  if (published === null && dryRun) throw notOpen(status === 'committed' ? status : 'held');
  let upload: AcceptedUpload;
  if (published === null) upload = await publishHeldUpload(options, uploader, uploadId, terms, onPublished);
  else {
    // A process that published the upload earlier may have died before writing its site.
    await options.writeSite(hostname);
    upload = acceptedOf(session, published);
  }
  attempt.id = uploadId;
  return upload;
}

async function commitOnce(
  options: UploadOptions,
  uploader: Uploader,
  attempt: Attempt,
  session: UploadSession,
  { wanted, terms, dryRun }: AskedCommit,
  { domain, fence, onPublished }: { domain: ReceivingDomain; fence: number; onPublished: OnAccepted },
): Promise<AcceptedUpload> {
  const { database, storage } = options;
  const { accountId } = uploader;
  const { id, uploadId, sitemapName } = session;
  const { sizeLimit, placement, onInvalid } = session.terms;
  attempt.domain = domain;
  attempt.sitemapName = sitemapName;
  attempt.isDryRun = dryRun;
  const stored = await readParts(database, id);
  const parts = chooseParts(stored, wanted);
  const urlCount = parts.reduce((sum, part) => sum + part.urlCount, 0);
  const rejected = parts.reduce((sum, part) => sum + part.rejected, 0);
  Object.assign(attempt.counts, { urlCount, rejected });
  judgeCounts(session, urlCount, rejected);

  await using scope = new AsyncDisposableStack();
  const writer = new SessionWriter(database, session, options.beginWriter, fence);
  const partial = dryRun ? UNWRITTEN : writer;
  const staging = scope.use(options.openStaging(accountId, uploadId, () => dryRun, partial));
  staging.adopt(stored.flatMap(({ files }) => files));
  const { kept, packed } = arrangeFiles(parts, sizeLimit);
  const ordered = [...kept, ...(await packTails(storage, staging, packed, sizeLimit))];
  attempt.counts.fileCount = ordered.length;
  const print = {
    digest: sumOfDigests(parts),
    entriesPerFile: ENTRIES_PER_FILE[sizeLimit],
    xmlVersion: XML_VERSION,
  };
  const skipped = onInvalid === 'skip' || dryRun ? rejected : undefined;
  const about = { sitemapName, pingSearch: false, rejected: skipped, dryRun, dialect: undefined };
  const { hostname } = domain;
  const accepted = (published: PublishedUpload) => ({
    ...{ ...published, ...about, uploadId },
    domain: { id: domain.id, hostname },
  });
  const end = async (transaction: Transaction) => {
    if (writer.n !== undefined) await endWriter(transaction, id, writer.n);
    await endWriters(transaction, [id]);
  };
  const attemptId = attempt.id;
  if (!dryRun) attempt.id = uploadId;
  try {
    const published = await publishAsAsked(
      options,
      uploader,
      {
        ...{ domain, sitemapName, sizeLimit, pingSearch: false, expectedUrlCount: undefined },
        ...{ placement: placement ?? undefined, ...terms },
      },
      staging,
      print,
      {
        ...{ attempt, dryRun, rejected: skipped, ordered },
        lock: (transaction) => lockCommit(transaction, id, fence),
        async onHeld(transaction) {
          await lockCommit(transaction, id, fence);
          await endSession(transaction, id, 'held');
          await end(transaction);
        },
        async onPublished(transaction, state) {
          // `lock` has not run for an upload that changes nothing.
          await lockCommit(transaction, id, fence);
          await endSession(transaction, id, 'committed', { ...state, rejected: skipped ?? null });
          await end(transaction);
          if (state.isUnchanged) await discardObjects(transaction, session, UNUSED_MS);
          await onPublished(transaction, accepted(state));
        },
      },
    );
    return accepted(published);
  } catch (error) {
    // Unless the guard holds the upload, the session stays open, and a later commit uses the upload's id. So this attempt gets its own id
    // back.
    if (!(error instanceof GuardRefusal)) attempt.id = attemptId;
    throw error;
  }
}

/** Judges the session as a whole, like an upload at its end. Throws Refusal. */
function judgeCounts({ terms }: UploadSession, urlCount: number, rejected: number): void {
  const { maxRejected, maxRejectedPercent, expectedUrlCount } = terms;
  const all = urlCount + rejected;
  if (urlCount === 0) {
    const invalid = rejected === 0 ? '' : `: all ${rejected.toLocaleString('en-US')} entries are invalid`;
    throw invalidField('parts', [], `must hold at least one URL${invalid}`);
  }
  if (maxRejected !== null && rejected > maxRejected)
    throw tooManyRejected(rejected, `maxRejected is ${maxRejected}`);
  if (maxRejectedPercent !== null && isOverPercent(rejected, all, maxRejectedPercent)) {
    throw tooManyRejected(rejected, `maxRejectedPercent is ${maxRejectedPercent} of ${all}`);
  }
  refuseOtherCount(all, expectedUrlCount ?? undefined);
}

function tooManyRejected(rejected: number, limit: string): Refusal {
  return invalidField('parts', null, `${rejected} entries are invalid, and ${limit}`, { rejected });
}

function sumOfDigests(parts: readonly StoredPart[]): string {
  const digest = parts.reduce((sum, { entriesDigest }) => sum + BigInt(entriesDigest), 0n);
  return String(BigInt.asIntN(64, digest));
}

function acceptedOf(
  { domainId, hostname, sitemapName, uploadId }: UploadSession,
  { rejected, ...published }: CommittedUpload,
): AcceptedUpload {
  const domain = { id: domainId, hostname };
  const about = { domain, sitemapName, pingSearch: false, dryRun: false, dialect: undefined };
  return { ...published, ...about, uploadId, rejected: rejected ?? undefined };
}
