/**
 * Restores a former generation of a sitemap as a new one with the same objects. Only rows are written, however large the
 * generation is.
 */
import type { NewId } from '../../../platform/ids.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { protectGeneration } from '../../sites/garbage-store.ts';
import type { UploadDomain } from '../upload-members.ts';
import { findGeneration, insertRollback, type LiveGeneration, type SitemapKey } from '../upload-store.ts';
import type { Content, PublishedUpload, PublishOptions, PublishTerms, Uploader } from './publication.ts';
import { publishAlone } from './publish-alone.ts';

export interface RolledBack extends PublishedUpload {
  readonly uploadId: string;
}

/**
 * Rolls a sitemap back. Throws Refusal NOT_FOUND if there is no such sitemap, or if the generation is above the live one, and CONFLICT if
 * it is live or not kept. Also throws the errors of `publishAlone`.
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
  const published = await publishAlone(options, {
    kind: 'rollback',
    id,
    uploader,
    domain,
    sitemapName,
    // The guard of the domain does not apply to rollbacks.
    terms: { ...terms, force: true },
    take: (transaction, live) =>
      takeGeneration(transaction, { domainId: domain.id, sitemapName, seq: generation }, live),
    insert: (transaction, row) => insertRollback(transaction, row, generation),
    onPublished: (transaction, state) => onPublished(transaction, { ...state, uploadId: id }),
  });
  return { ...published, uploadId: id };
}

/** Protects the objects of the generation from collection. Throws Refusal. */
async function takeGeneration(
  transaction: Transaction,
  place: SitemapKey & { readonly seq: number },
  live: LiveGeneration | undefined,
): Promise<Content> {
  const { seq } = place;
  if (live === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
  if (seq > live.seq) throw new Refusal('NOT_FOUND', 'There is no such generation.');
  if (seq === live.seq) throw conflict(seq, 'is live already');
  const found = await findGeneration(transaction, place);
  if (!found?.isKept) throw conflict(seq, 'is no longer kept');
  const isHeld = await protectGeneration(transaction, place, { uploadId: found.id, liveId: live.id });
  if (!isHeld) throw conflict(seq, 'is no longer kept');
  const { urlCount, fileCount, bytes, gzipBytes, print } = found;
  return { urlCount, fileCount, bytes, gzipBytes, print };
}

function conflict(generation: number, why: string): Refusal {
  return new Refusal('CONFLICT', `Generation ${generation} ${why}.`, { details: { generation } });
}
