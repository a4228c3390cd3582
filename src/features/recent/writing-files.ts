/** Stores the recent files of a version, and collects their fragments and records for the state. */
import { GZIP_HEADER_BYTES } from '../../platform/gzip/gzip-member.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import type { RecentFile } from '../domains/recent-objects.ts';
import type { CutFile } from '../sites/cut-files.ts';
import { placeOfFragment } from '../sites/fragment.ts';
import { MAX_RECENT_FILES } from '../sites/recent-sitemap.ts';
import { uploadFileKey } from '../sites/site.ts';
import { type Cut, laterCut, type Merged, NewestOfEach } from './merge-changes.ts';
import type { PlacedFragment } from './recent-state.ts';
import type { HeldVersion } from './recent-store.ts';
import { joinRecords, type Records } from './records.ts';
import type { RecentFragment } from './stitch-fragments.ts';

/** Stores the first MAX_RECENT_FILES files of a version. Leaves out the entries of further files. */
export class WritingFiles {
  readonly #storage: Pick<ObjectStorage, 'put'>;
  readonly #uploadId: string;
  /** The `lastModified` of each file of the last version, by etag. */
  readonly #former: ReadonlyMap<string, string>;
  readonly #now: string;
  readonly files: { readonly file: RecentFile; readonly fragmentsFrom: number }[] = [];
  readonly fragments: PlacedFragment[] = [];
  readonly #records: Records[] = [];
  readonly #dropped: Records[] = [];

  constructor(storage: Pick<ObjectStorage, 'put'>, uploadId: string, { files, now }: HeldVersion) {
    this.#storage = storage;
    this.#uploadId = uploadId;
    this.#now = isoSeconds(new Date(1000 * now));
    this.#former = new Map(files.map(({ etag, lastModified }) => [etag, lastModified]));
  }

  async add({ parts, entries, bytes, gzipBytes, etag, fragments }: CutFile): Promise<void> {
    const stitched = fragments as readonly RecentFragment[];
    const records = stitched.map((fragment) => fragment.records);
    if (this.files.length === MAX_RECENT_FILES) {
      this.#dropped.push(...records);
      return;
    }
    const n = this.files.length + 1;
    await this.#storage.put(uploadFileKey(this.#uploadId, n), parts);
    const lastModified = this.#former.get(etag) ?? this.#now;
    const fragmentsFrom = GZIP_HEADER_BYTES + parts[1]!.length;
    this.files.push({ file: { entries, bytes, gzipBytes, etag, lastModified }, fragmentsFrom });
    for (const { records: _, ...fragment } of stitched) {
      this.fragments.push({ ...placeOfFragment(fragment), file: n });
    }
    this.#records.push(...records);
  }

  get entries(): Records {
    return joinRecords(this.#records);
  }

  /** Returns the cuts of the version. Joins the cuts of `Merged` with a cut of each sitemap whose entries `add` left out. */
  withDropped({ sitemaps, cuts }: Merged): Cut[] {
    const newest = new Map(cuts.map((cut) => [cut.sitemapName, cut]));
    const dropped = new NewestOfEach();
    for (const records of this.#dropped) for (let i = 0; i < records.count; i++) dropped.add(records, i);
    for (const [sitemap, end] of dropped.bySitemap) {
      const sitemapName = sitemaps[sitemap]!;
      newest.set(sitemapName, laterCut(newest.get(sitemapName), { sitemapName, reason: 'limit', ...end }));
    }
    return [...newest.values()];
  }
}
