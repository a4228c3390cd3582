/**
 * Takes an upload from the first byte of its document to a published sitemap:
 *
 * ```
 * bytes ─readDocument→ batches ─render pool→ fragments ─cutFiles→ files ─staging→ objects ─publishAsAsked→ live
 * ```
 *
 * `readDocument` reads JSON. Other forms have readers of their own (`forms/read-records.ts`, `parquet/`). Each stage pulls from the
 * stage before it. So a slow store puts backpressure on the client, and memory stays flat. A dry run takes the same steps, but stores no
 * file and rolls back its publication.
 */
import { DEFAULT_SITEMAP } from '../../core/sitemap/file-names.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../../core/sitemap/limits.ts';
import type { Turns } from '../../platform/concurrency/turns.ts';
import type { NewId } from '../../platform/ids.ts';
import { readDocument } from '../../platform/json/json-document.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { requireTarget } from '../accounts/key-scope.ts';
import type { Attempt } from './attempt.ts';
import { DigestSum } from './content-print.ts';
import { EntryJudge } from './entry-judge.ts';
import { countEntries, refuseHigherCount, refuseOtherCount } from './expected-count.ts';
import { type Dialect, isDialectName, parseDialect } from './forms/dialect.ts';
import type { UploadForm } from './forms/form.ts';
import { type FoundInBody, type ReadForm, readJsonBy, readRecords } from './forms/read-records.ts';
import { dialectWarnings, type ToldDialect, toldDialect } from './forms/told-dialect.ts';
import type { Batch } from './fragment.ts';
import { freeChunks } from './free-chunks.ts';
import type { HoldBudget } from './hold-budget.ts';
import { holdFragments } from './hold-fragments.ts';
import type { OpenStaging } from './open-staging.ts';
import type { PublishedUpload, Uploader } from './publishing/publication.ts';
import { type PublishAsAskedOptions, publishAsAsked } from './publishing/publish-as-asked.ts';
import { Rejects } from './rejects.ts';
import type { RenderPool } from './render-pool.ts';
import type { BeginWriter } from './sessions/writer.ts';
import { FileStager } from './stage-files.ts';
import { type ReceivingDomain, type UploadDomain, UploadMembers } from './upload-members.ts';
import { renderWithinBudget } from './url-budget.ts';

export interface UploadOptions extends PublishAsAskedOptions {
  readonly storage: ObjectStorage;
  readonly pool: Pick<RenderPool, 'render'>;
  /** Returns the reader of Parquet bodies for an account. The reader reads the bodies of the account one after the other. */
  readonly readParquet: (accountId: string) => ReadForm;
  readonly holdBudget: HoldBudget;
  readonly openStaging: OpenStaging;
  readonly beginWriter: BeginWriter;
  /** Limits the parts of an account that are stored at once, because they wait for each other, and each takes a connection to Postgres. */
  readonly partTurns: Turns;
  readonly newId: NewId;
  /** Finds a domain of the account. Throws NOT_FOUND for any other hostname. */
  readonly getDomain: (accountId: string, hostname: string) => Promise<ReceivingDomain>;
}

export interface AcceptedUpload extends PublishedUpload {
  readonly uploadId: string;
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly pingSearch: boolean;
  /** The number of entries that were left out. Undefined if the first invalid entry refuses the upload. */
  readonly rejected: number | undefined;
  /** The dialect in which the body was read. Undefined if `toldDialect` has nothing to report. */
  readonly dialect: ToldDialect | undefined;
  /** Whether it was a dry run. A dry run describes the publication, but does not commit it. */
  readonly dryRun: boolean;
}

/** The form and the query parameters in the head of the request. */
export interface UploadHead {
  readonly form: UploadForm;
  /** The query parameters. The caller has refused unknown names. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface UploadWatch {
  /** Called with the new id of the upload when its files are cut again. */
  uploadId?(uploadId: string): void;
  /** Runs in the transaction that publishes the upload or finds it unchanged. If the callback throws, the upload is not published. */
  published?(transaction: Transaction, upload: AcceptedUpload): Promise<void>;
}

/**
 * `body` is not compressed (spec 4.5). It may be text in another charset than UTF-8 (`forms/read-text.ts`), or Parquet. `attempt` has the
 * id of the upload. The function fills in the domain, the name and the counts of the attempt, and records it when the upload is published,
 * unchanged or held. A Refusal means that no sitemap changed. After a GuardRefusal the upload may be held.
 */
export async function acceptUpload(
  options: UploadOptions,
  uploader: Uploader,
  attempt: Attempt,
  { form, query }: UploadHead,
  body: AsyncIterable<Uint8Array>,
  watch: UploadWatch = {},
): Promise<AcceptedUpload> {
  await using scope = new AsyncDisposableStack();
  const { id: uploadId, counts } = attempt;
  attempt.form = form;
  const members = new UploadMembers(
    async (hostname) => {
      const domain = await options.getDomain(uploader.accountId, hostname);
      requireTarget(uploader.scope, { domainId: domain.id });
      attempt.domain = domain;
      return domain;
    },
    (name) => {
      requireTarget(uploader.scope, { sitemapName: name });
      attempt.sitemapName = name;
    },
  );

  await members.takeQuery(Object.fromEntries(Object.entries(query).filter(([name]) => !isDialectName(name))));
  const dialect = parseDialect(form, query);
  // Only a JSON document can name its sitemap later, in the body.
  if (form !== 'json') attempt.sitemapName ??= DEFAULT_SITEMAP;
  requireTarget(uploader.scope, { sitemapName: attempt.sitemapName });

  const { accountId } = uploader;
  const judge = new EntryJudge(uploadId, members, counts, new Rejects(options, accountId, uploadId));
  const found: FoundInBody = {};
  attempt.tellDialect = () => toldDialect(dialect, found, judge);
  const isFiltered = dialect.where !== undefined;
  const readParquet = options.readParquet(accountId);
  const isDry = () => members.tolerance.dryRun;
  let entries = 0;
  const batches = countEntries(entriesOf(members, form, dialect, found, body, readParquet), (count) => {
    entries = count;
    if (isDry()) attempt.isDryRun = true;
    // `where` leaves out entries, so the number of entries is known only after all are read.
    else if (!isFiltered) refuseHigherCount(count, members.expectedUrlCount);
  });
  const { urlsPerUpload } = uploader.allowance;
  const rendered = renderWithinBudget(batches, urlsPerUpload, isFiltered, (within) =>
    options.pool.render(within, accountId, judge),
  );
  const digests = new DigestSum();
  const fragments = holdFragments(
    digests.over(rendered),
    () => members.isMoreToCome,
    options.holdBudget.open(accountId),
  );
  const stager = new FileStager(options, uploader, counts, isDry, scope);
  let cutAs: SizeLimit | undefined;
  let staged = await stager.stage(uploadId, fragments, () => {
    cutAs = members.sizeLimit;
    return cutAs;
  });

  const complete = members.complete();
  const { sitemapName } = complete;
  requireTarget(uploader.scope, { sitemapName });
  attempt.sitemapName = sitemapName;
  const kept = entries - judge.filtered;
  if (kept === 0) throw invalidField('where', dialect.where, 'leaves no entry');
  await judge.conclude(kept);
  refuseOtherCount(kept, complete.expectedUrlCount);
  if (complete.sizeLimit !== cutAs) {
    // `sizeLimit` came after `urls`, so cut the files again.
    const newId = options.newId('upload');
    attempt.id = newId;
    watch.uploadId?.(newId);
    staged = await stager.stageAgain(newId, staged, complete.sizeLimit);
  }

  await judge.keep(staged.uploadId);
  const { domain, pingSearch } = complete;
  const asked = { domain, sitemapName, pingSearch, rejected: judge.rejected, dryRun: isDry() };
  const told = { dialect: attempt.tellDialect(), warnings: dialectWarnings(dialect, found, judge) };
  const accepted = (published: PublishedUpload) => ({
    ...published,
    ...asked,
    ...told,
    warnings: [...told.warnings, ...published.warnings],
    uploadId: staged.uploadId,
  });
  const print = digests.print(ENTRIES_PER_FILE[complete.sizeLimit]);
  const published = await publishAsAsked(options, uploader, complete, staged, print, {
    ...asked,
    attempt,
    onPublished: async (transaction, state) => watch.published?.(transaction, accepted(state)),
  });
  return accepted(published);
}

function entriesOf(
  members: UploadMembers,
  form: UploadForm,
  dialect: Dialect,
  found: FoundInBody,
  body: AsyncIterable<Uint8Array>,
  readParquet: ReadForm,
): AsyncIterable<Batch> {
  if (form === 'parquet') return members.recordsOf(readParquet(body, dialect, found));
  const freed = freeChunks(body);
  if (form !== 'json') return members.recordsOf(readRecords(form, freed, dialect, found));
  return members.batchesOf(readDocument(freed, members.documentShape), (batch, isArray) =>
    readJsonBy(batch, dialect, isArray),
  );
}
