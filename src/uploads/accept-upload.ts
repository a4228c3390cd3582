/**
 * Takes an upload from the first byte of its document to a published sitemap:
 *
 * ```
 * bytes ─readDocument→ batches ─render pool→ fragments ─cutFiles→ files ─staging→ objects ─publishUpload→ live
 * ```
 *
 * Each stage pulls from the one before, so that a slow store slows the client down and memory stays flat.
 */
import { readDocument } from '../platform/json-document.ts';
import type { ObjectStorage } from '../platform/object-storage.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../sitemap/limits.ts';
import { withinStoredBytes } from './allowance.ts';
import { cutFiles } from './cut-files.ts';
import type { Fragment } from './fragment.ts';
import type { HoldBudget } from './hold-budget.ts';
import { holdFragments } from './hold-fragments.ts';
import { type PublishParts, publishUpload, type Uploader } from './publish-upload.ts';
import { readFragments } from './read-fragments.ts';
import type { RenderPool } from './render-pool.ts';
import type { Staging } from './staging.ts';
import { UPLOAD_SHAPE, type UploadDomain, UploadMembers } from './upload-members.ts';
import { sumStoredBytes } from './upload-store.ts';
import { withinBudget } from './url-budget.ts';

export interface UploadParts extends PublishParts {
  readonly storage: ObjectStorage;
  readonly pool: RenderPool;
  readonly holdBudget: HoldBudget;
  readonly openStaging: (accountId: string) => Promise<Staging>;
  /** The account's own domain of that name; refuses any other with NOT_FOUND. */
  readonly getDomain: (accountId: string, hostname: string) => Promise<UploadDomain>;
}

export interface AcceptedUpload {
  readonly uploadId: string;
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly urlCount: number;
  readonly fileCount: number;
  readonly pingSearch: boolean;
}

/** `body`: a JSON document in UTF-8 (section 4.5 of the specification). Throws Refusal; then nothing changed. */
export async function acceptUpload(
  parts: UploadParts,
  uploader: Uploader,
  body: AsyncIterable<Uint8Array>,
): Promise<AcceptedUpload> {
  await using scope = new AsyncDisposableStack();
  const members = new UploadMembers((hostname) => parts.getDomain(uploader.accountId, hostname));

  const batches = members.batchesOf(readDocument(body, UPLOAD_SHAPE));
  const rendered = parts.pool.render(
    withinBudget(batches, uploader.allowance.urlsPerUpload),
    uploader.accountId,
  );
  const fragments = holdFragments(
    rendered,
    () => members.isMoreToCome,
    parts.holdBudget.open(uploader.accountId),
  );
  let cutAs: SizeLimit | undefined;
  const cutNow = () => {
    cutAs = members.sizeLimit;
    return cutAs;
  };
  const usedBytes = () => sumStoredBytes(parts.database, uploader.accountId);
  const stageFiles = async (
    staging: Staging,
    source: AsyncIterable<Fragment>,
    sizeLimit: () => SizeLimit,
  ) => {
    const files = cutFiles(source, () => ENTRIES_PER_FILE[sizeLimit()]);
    for await (const file of withinStoredBytes(files, uploader.allowance, usedBytes)) await staging.add(file);
    await staging.settle();
  };
  let staged = scope.use(await parts.openStaging(uploader.accountId));
  await stageFiles(staged, fragments, cutNow);

  const { domain, sitemapName, sizeLimit, pingSearch } = members.complete();
  if (sizeLimit !== cutAs) {
    // It stood behind `urls`, `domain` did not, and the files were cut as if it were the default.
    const stagedFragments = readFragments(parts.storage, staged);
    staged = scope.use(await parts.openStaging(uploader.accountId));
    await stageFiles(staged, stagedFragments, () => sizeLimit);
  }

  const { urlCount } = await publishUpload(parts, uploader, domain, sitemapName, staged);
  return {
    uploadId: staged.uploadId,
    domain,
    sitemapName,
    urlCount,
    fileCount: staged.files.length,
    pingSearch,
  };
}
