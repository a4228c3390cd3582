/** Makes a publication of a staged upload that is published alone. */
import { rescueFromGarbage } from '../../sites/garbage-store.ts';
import { uploadPrefix } from '../../sites/site.ts';
import type { ContentPrint } from '../content-print.ts';
import { type StagedFile, sumFiles } from '../staging.ts';
import { insertUpload } from '../upload-store.ts';
import type { Publication } from './publication.ts';
import type { LonePublication } from './publish-alone.ts';

export interface StagedUpload {
  readonly uploadId: string;
  readonly files: readonly StagedFile[];
  /** Null for a held upload of a version that recorded none. */
  readonly print: ContentPrint | null;
  /** Whether its prefix is in `garbage`. */
  readonly hasObjects: boolean;
  /** Called just before COMMIT. From then on the files may be live, even if the answer to COMMIT is lost. */
  keep(): void;
}

/** All files but the small ones must be in object storage. */
export function stagedUpload(
  asked: Pick<Publication, 'uploader' | 'domain' | 'sitemapName' | 'terms' | 'attempt' | 'onPublished'>,
  staged: StagedUpload,
): LonePublication {
  const { uploadId: id, files, print } = staged;
  const content = { ...sumFiles(files), print };
  return {
    ...asked,
    kind: 'upload',
    id,
    content,
    take: async (transaction) => {
      if (staged.hasObjects && !(await rescueFromGarbage(transaction, uploadPrefix(id)))) {
        throw new Error(`upload ${id} was collected before it was published`);
      }
      return content;
    },
    insert: (transaction, row) => insertUpload(transaction, row, files, asked.attempt?.publish(row.seq)),
    beforeCommit: () => staged.keep(),
  };
}
