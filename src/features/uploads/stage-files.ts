/** Cuts fragments into files and stages them, up to the bytes that the plan allows. A dry run counts the files and stores none. */
import { ENTRIES_PER_FILE, type SizeLimit } from '../../core/sitemap/limits.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { findStoredBytes } from '../domains/domain-counts-store.ts';
import { cutFiles } from '../sites/cut-files.ts';
import type { Fragment } from '../sites/fragment.ts';
import { withinStoredBytes } from './allowance.ts';
import type { AttemptCounts } from './attempt.ts';
import type { OpenStaging } from './open-staging.ts';
import type { Uploader } from './publishing/publication.ts';
import { readFragments } from './read-fragments.ts';
import type { Staging } from './staging.ts';

export interface FileStagerOptions {
  readonly database: Queryable;
  readonly storage: ObjectStorage;
  readonly openStaging: OpenStaging;
}

export class FileStager {
  readonly #options: FileStagerOptions;
  readonly #uploader: Uploader;
  readonly #counts: AttemptCounts;
  readonly #isDry: () => boolean;
  /** The end of this scope disposes of the stagings. */
  readonly #scope: AsyncDisposableStack;

  /** `isDry` is called only after the first fragment has come. */
  constructor(
    options: FileStagerOptions,
    uploader: Uploader,
    counts: AttemptCounts,
    isDry: () => boolean,
    scope: AsyncDisposableStack,
  ) {
    this.#options = options;
    this.#uploader = uploader;
    this.#counts = counts;
    this.#isDry = isDry;
    this.#scope = scope;
  }

  /** `sizeLimit` is called once, at the first fragment. */
  async stage(
    uploadId: string,
    fragments: AsyncIterable<Fragment>,
    sizeLimit: () => SizeLimit,
  ): Promise<Staging> {
    const { database, openStaging } = this.#options;
    const { accountId, allowance } = this.#uploader;
    const staging = this.#scope.use(openStaging(accountId, uploadId, this.#isDry));
    const files = cutFiles(this.#counted(fragments, staging), () => ENTRIES_PER_FILE[sizeLimit()]);
    const usedBytes = async () => (await findStoredBytes(database, [accountId])).get(accountId) ?? 0;
    for await (const file of withinStoredBytes(files, allowance, usedBytes)) {
      await staging.add(file);
      this.#counts.fileCount = staging.files.length;
    }
    await staging.settle();
    return staging;
  }

  /** Cuts the files of `former` again, by another `sizeLimit`. */
  stageAgain(uploadId: string, former: Staging, sizeLimit: SizeLimit): Promise<Staging> {
    const fragments = this.#isDry() ? recountFragments(former) : readFragments(this.#options.storage, former);
    return this.stage(uploadId, fragments, () => sizeLimit);
  }

  /** Resets `urlCount`, and adds the entries of each fragment when it passes. */
  async *#counted(
    fragments: AsyncIterable<Fragment>,
    staging: Staging,
  ): AsyncGenerator<Fragment, void, undefined> {
    this.#counts.urlCount = 0;
    for await (const fragment of fragments) {
      this.#counts.urlCount += fragment.entries;
      await staging.grow(fragment);
      yield fragment;
    }
  }
}

/**
 * Yields the fragments of a dry run again, so that they can be cut by another `sizeLimit`. The dry run stored no bytes, so the yielded
 * bytes are zeros.
 */
async function* recountFragments(staging: Pick<Staging, 'files'>): AsyncGenerator<Fragment, void, undefined> {
  for (const { fragments } of staging.files) {
    for (const { deflatedBytes, ...rest } of fragments) {
      yield { ...rest, deflated: Buffer.alloc(deflatedBytes) };
    }
  }
}
