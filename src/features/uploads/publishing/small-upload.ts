/** An upload by a key whose files are all small. Many such uploads are published in one transaction. */
import { pipelined, type Transaction } from '../../../platform/postgres/database.ts';
import type { Attempt } from '../attempt.ts';
import type { ContentPrint } from '../content-print.ts';
import { type StagedFile, sumFiles } from '../staging.ts';
import { type Content, endedAttempts, type Publication, type Uploader } from './publication.ts';
import type { Accepted } from './publish-state.ts';
import { insertUploads, type NewFile, type NewGeneration, replaceFiles } from './publish-store.ts';

export interface SmallUpload extends Publication {
  readonly uploader: Uploader & { readonly keyId: string };
  readonly files: readonly StagedFile[];
  readonly content: Content;
  readonly attempts: readonly Attempt[];
}

export function smallUpload(
  asked: Pick<
    SmallUpload,
    'id' | 'uploader' | 'domain' | 'sitemapName' | 'terms' | 'attempts' | 'onPublished'
  >,
  files: readonly StagedFile[],
  print: ContentPrint,
): SmallUpload {
  const content = { ...sumFiles(files), print };
  return { ...asked, kind: 'upload', files, content, take: async () => content };
}

/** `accepted` are in the order in which they were accepted. Returns for each upload how many of its files have changed. */
export async function insertSmallUploads(
  transaction: Transaction,
  accepted: readonly Accepted<SmallUpload>[],
): Promise<readonly number[]> {
  const sitemaps = Map.groupBy(accepted, ({ former }) => former);
  const rows = [...sitemaps.values()].flatMap(withFiles);
  // Even a new sitemap may have live rows of files: a deleted sitemap of the same name may have left them.
  const ended = [...sitemaps.values()].map(([first]) => ({ ...first!.former, toSeq: first!.row.seq }));
  await pipelined([insertUploads(transaction, rows), replaceFiles(transaction, ended, rows)]);
  const changedFiles = new Map(rows.map(({ id, changedFiles }) => [id, changedFiles]));
  return accepted.map(({ row }) => changedFiles.get(row.id)!);
}

/** Makes the generations of one sitemap. A file that equals the former file of the same number keeps its `lastModified`. */
function withFiles(
  accepted: readonly Accepted<SmallUpload>[],
): (NewGeneration & { readonly changedFiles: number })[] {
  const { etags, lastModified } = accepted[0]!.former;
  let live: readonly Pick<NewFile, 'etag' | 'lastModified'>[] = etags.map((etag, i) => ({
    etag,
    lastModified: lastModified[i]!,
  }));
  return accepted.map(({ publication, row }, i) => {
    const before = live;
    let changedFiles = 0;
    const files = publication.files.map(({ n, entries, bytes, gzipBytes, etag, content }) => {
      const isSame = before[n - 1]?.etag === etag;
      if (!isSame) changedFiles++;
      const changedAt = isSame ? before[n - 1]!.lastModified : row.publishedAt;
      return { n, entries, bytes, gzipBytes, etag, lastModified: changedAt, content: content! };
    });
    live = files;
    const isReplaced = i < accepted.length - 1;
    return { ...row, isReplaced, attempts: endedAttempts(publication, row), files, changedFiles };
  });
}
