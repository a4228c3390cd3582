/**
 * Takes an upload from the first byte of its document to a published sitemap:
 *
 * ```
 * bytes ─readDocument→ batches ─render pool→ fragments ─cutFiles→ files ─staging→ objects ─publishUpload→ live
 * ```
 *
 * Each stage pulls from the one before it. So a slow store slows the client down, and memory stays flat.
 */
import { sumStoredBytes } from '../domains/stored-bytes-store.ts';
import type { NewId } from '../platform/ids.ts';
import { readDocument } from '../platform/json/json-document.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../sitemap/limits.ts';
import { withinStoredBytes } from './allowance.ts';
import { cutFiles } from './cut-files.ts';
import type { UploadForm } from './forms/form.ts';
import { readRecords } from './forms/read-records.ts';
import type { Fragment } from './fragment.ts';
import type { HoldBudget } from './hold-budget.ts';
import { holdFragments } from './hold-fragments.ts';
import type { OpenStaging } from './open-staging.ts';
import { type PublishedUpload, type PublishOptions, publishUpload, type Uploader } from './publish-upload.ts';
import { readFragments } from './read-fragments.ts';
import type { RenderPool } from './render-pool.ts';
import type { Staging } from './staging.ts';
import { UPLOAD_SHAPE, type UploadDomain, UploadMembers } from './upload-members.ts';
import { withinBudget } from './url-budget.ts';

export interface UploadOptions extends PublishOptions {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly pool: RenderPool;
  readonly holdBudget: HoldBudget;
  readonly openStaging: OpenStaging;
  readonly newId: NewId;
  /** Finds a domain of the account. Throws NOT_FOUND for any other hostname. */
  readonly getDomain: (accountId: string, hostname: string) => Promise<UploadDomain>;
}

export interface AcceptedUpload extends PublishedUpload {
  readonly uploadId: string;
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly pingSearch: boolean;
}

/** What the head of the request says. */
export interface UploadHead {
  readonly form: UploadForm;
  /** Known parameters only. */
  readonly query: Readonly<Record<string, unknown>>;
}

/** For logs and webhooks, which name an upload also when it fails; and for whoever must know that it succeeds. */
export interface UploadWatch {
  domain?(domain: UploadDomain): void;
  /** Empty for the unnamed sitemap. Not called before the body says so, nor if it never does. */
  sitemapName?(sitemapName: string): void;
  uploadId?(uploadId: string): void;
  /** In the transaction that publishes it. If this throws, nothing is published. */
  published?(transaction: Transaction, upload: AcceptedUpload): Promise<void>;
}

/**
 * `body`: in UTF-8, not compressed (spec 4.5). `uploadId`: the id of the upload; if its files are cut again, it gets
 * a new one. `watch` is told the domain and the name as soon as they are known, and a new id. A Refusal means that nothing changed.
 */
export async function acceptUpload(
  options: UploadOptions,
  uploader: Uploader,
  uploadId: string,
  { form, query }: UploadHead,
  body: AsyncIterable<Uint8Array>,
  watch: UploadWatch = {},
): Promise<AcceptedUpload> {
  await using scope = new AsyncDisposableStack();
  const members = new UploadMembers(
    async (hostname) => {
      const domain = await options.getDomain(uploader.accountId, hostname);
      watch.domain?.(domain);
      return domain;
    },
    (name) => watch.sitemapName?.(name),
  );

  await members.takeQuery(query);

  const batches =
    form === 'json'
      ? members.batchesOf(readDocument(body, UPLOAD_SHAPE))
      : members.recordsOf(readRecords(form, body));
  const rendered = options.pool.render(
    withinBudget(batches, uploader.allowance.urlsPerUpload),
    uploader.accountId,
  );
  const fragments = holdFragments(
    rendered,
    () => members.isMoreToCome,
    options.holdBudget.open(uploader.accountId),
  );
  let cutAs: SizeLimit | undefined;
  const cutNow = () => {
    cutAs = members.sizeLimit;
    return cutAs;
  };
  const usedBytes = () => sumStoredBytes(options.database, uploader.accountId);
  const stageFiles = async (
    staging: Staging,
    source: AsyncIterable<Fragment>,
    sizeLimit: () => SizeLimit,
  ) => {
    const files = cutFiles(source, () => ENTRIES_PER_FILE[sizeLimit()]);
    for await (const file of withinStoredBytes(files, uploader.allowance, usedBytes)) await staging.add(file);
    await staging.settle();
  };
  let staged = scope.use(await options.openStaging(uploader.accountId, uploadId));
  await stageFiles(staged, fragments, cutNow);

  const { domain, sitemapName, sizeLimit, pingSearch } = members.complete();
  if (sizeLimit !== cutAs) {
    // `sizeLimit` came after `urls`: cut again from the staged files.
    const stagedFragments = readFragments(options.storage, staged);
    const newId = options.newId('upload');
    watch.uploadId?.(newId);
    staged = scope.use(await options.openStaging(uploader.accountId, newId));
    await stageFiles(staged, stagedFragments, () => sizeLimit);
  }

  const { uploadId: publishedId } = staged;
  const accepted = (published: PublishedUpload) => {
    return { ...published, uploadId: publishedId, domain, sitemapName, pingSearch };
  };
  const published = await publishUpload(
    options,
    uploader,
    domain,
    sitemapName,
    staged,
    async (transaction, state) => watch.published?.(transaction, accepted(state)),
  );
  return accepted(published);
}
