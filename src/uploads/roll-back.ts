/**
 * Brings back a former generation of a sitemap, as a new one with the same objects. Only rows are written, however large
 * it is.
 */
import type { NewId } from '../platform/ids.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { holdGeneration } from '../sites/garbage-store.ts';
import {
  type PublishedUpload,
  type PublishOptions,
  type PublishTerms,
  publishGeneration,
  type Uploader,
} from './publish-generation.ts';
import type { UploadDomain } from './upload-members.ts';
import { findGeneration, insertRollback } from './upload-store.ts';

export interface RolledBack extends PublishedUpload {
  readonly uploadId: string;
}

/**
 * Throws Refusal: NOT_FOUND if there is no such sitemap or never was such a generation, CONFLICT if it is live or no longer
 * kept. Other errors are as of `publishGeneration`.
 */
export async function rollBack(
  options: PublishOptions & { readonly newId: NewId },
  uploader: Uploader,
  domain: UploadDomain,
  sitemapName: string,
  generation: number,
  terms: PublishTerms,
  onPublished: (transaction: Transaction, back: RolledBack) => Promise<void> = async () => {},
): Promise<RolledBack> {
  const id = options.newId('upload');
  const place = { domainId: domain.id, sitemapName, seq: generation };
  const published = await publishGeneration(options, uploader, domain, sitemapName, terms, {
    kind: 'rollback',
    id,
    take: async (transaction, live) => {
      if (live === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
      if (generation > live.seq) throw new Refusal('NOT_FOUND', 'There is no such generation.');
      if (generation === live.seq) throw conflict(generation, 'is live already');
      const found = await findGeneration(transaction, place);
      if (!found?.isKept) throw conflict(generation, 'is no longer kept');
      const held = { uploadId: found.id, liveId: live.id };
      if (!(await holdGeneration(transaction, place, held))) throw conflict(generation, 'is no longer kept');
      return found;
    },
    insert: (transaction, row) => insertRollback(transaction, row, generation),
    onPublished: (transaction, state) => onPublished(transaction, { ...state, uploadId: id }),
  });
  return { ...published, uploadId: id };
}

function conflict(generation: number, why: string): Refusal {
  return new Refusal('CONFLICT', `Generation ${generation} ${why}.`, { details: { generation } });
}
