/** Uploads and rollbacks as the API shows them (spec 4.5), also those that are unchanged or a dry run. */
import { z } from 'zod';
import { DEFAULT_SITEMAP, DOMAIN_INDEX_FILE, sitemapFileName } from '../../core/sitemap/file-names.ts';
import { PLACEMENTS } from '../../features/domains/domain.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import type { AcceptedUpload } from '../../features/uploads/accept-upload.ts';
import { rejectsPath } from '../../features/uploads/entry-judge.ts';
import { type PingOptions, pingSearch } from '../../features/uploads/ping-search.ts';
import { PLACEMENT_REASONS } from '../../features/uploads/placement/messages.ts';
import type { PublishedUpload } from '../../features/uploads/publishing/publication.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { answered, count, described, id, type Shown, text, time } from './shapes.ts';
import { dialectShape } from './upload-body.ts';

/** The members of answers to uploads and to deltas that `addressesOf`, `servedOrNot` and `submission` return. */
export const placeMembers = {
  sitemapUrl: described(text, 'Address of the sitemap, for search engines.'),
  indexUrl: described(text, 'Address of the index of the domain; with several files, or a name.').optional(),
  served: described(z.boolean(), 'Whether crawlers can fetch it now.').optional(),
  servedNote: described(text, 'Why it is not served, and what to do.').optional(),
  indexNow: z
    .object({ status: z.enum(['pending', 'skipped', 'success', 'failed']), urlsSubmitted: count })
    .optional(),
};

const uploaded = z
  .object({
    domain: described(text, 'The hostname.'),
    sitemapName: described(text, 'Absent for the unnamed sitemap.').optional(),
    uploadId: id('upload'),
    generation: described(count, 'Of the sitemap; absent for a dry run.').optional(),
    dryRun: described(z.literal(true), 'Nothing was published.').optional(),
    unchanged: described(
      z.literal(true),
      'The live generation has the same entries, in any order. Nothing was published; `generation` is the live one.',
    ).optional(),
    urlCount: described(count, 'Entries of this upload.'),
    filesGenerated: described(count, 'Files with URLs; indexes are not counted.'),
    filesChanged: described(count, 'Files that differ from the former ones of the same numbers.'),
    placement: described(
      z.enum(PLACEMENTS),
      'Where the entries went; absent if there was nothing to place: the sitemap is new or has one file, or nothing changed.',
    ).optional(),
    placementReason: described(
      z.enum(PLACEMENT_REASONS),
      'Why they follow the list, although `stable` was wanted.',
    ).optional(),
    rejected: described(count, 'Entries that were rejected.').optional(),
    rejectsUrl: described(text, 'A path with the rejected entries, if there are any.').optional(),
    ...placeMembers,
    dialect: described(
      dialectShape,
      'What the body was read as; absent if there is nothing to tell.',
    ).optional(),
    warnings: described(
      z.array(text),
      'For people: what was ignored, left out or completed, and page hosts that do not name your sitemaps.',
    ).optional(),
    searchPing: z.object({ status: z.enum(['skipped', 'success', 'failed']), pingedAt: time }).optional(),
  })
  .meta({ id: 'Uploaded' });

type Uploaded = Shown<typeof uploaded>;

/** The answer of an upload, and of operations that publish as an upload does. */
export const uploadAnswer = answered(200, 'The sitemap is stored.', uploaded, {
  domain: 'sitemaps.example.com',
  sitemapName: 'products',
  uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
  generation: 7,
  urlCount: 25_000,
  filesGenerated: 3,
  filesChanged: 1,
  sitemapUrl: 'https://sitemaps.example.com/sitemap-products.xml',
  indexUrl: 'https://sitemaps.example.com/sitemap-index.xml',
  served: true,
});

/** The data that describe an upload or a rollback. */
type Described = PublishedUpload &
  Pick<AcceptedUpload, 'uploadId' | 'domain' | 'sitemapName'> &
  Partial<Pick<AcceptedUpload, 'dryRun' | 'rejected' | 'dialect'>>;

export interface DescribeUploadNeeds extends SiteOrigins {
  /** Whether the operator has configured a search engine to which changed URLs are submitted. */
  readonly submitsUrls: boolean;
}

export function describeUpload(needs: DescribeUploadNeeds, upload: Described): Uploaded {
  const { domain, sitemapName, urlCount, fileCount, uploadId, generation, warnings } = upload;
  return {
    domain: domain.hostname,
    ...(sitemapName !== DEFAULT_SITEMAP && { sitemapName }),
    uploadId,
    ...(upload.dryRun ? { dryRun: true } : { generation }),
    ...(upload.isUnchanged && { unchanged: true as const }),
    urlCount,
    filesGenerated: fileCount,
    filesChanged: upload.filesChanged,
    ...upload.placement,
    ...describeRejected(upload),
    ...addressesOf(siteOrigin(needs, domain.hostname, upload.isSecure), sitemapName, fileCount),
    ...servedOrNot(upload),
    ...submission(upload, needs.submitsUrls),
    ...(upload.dialect !== undefined && { dialect: upload.dialect }),
    ...(warnings.length > 0 && { warnings }),
  };
}

export interface UploadAnswerNeeds extends DescribeUploadNeeds {
  readonly ping: PingOptions;
  readonly now: () => Date;
}

/**
 * Describes an upload before its ping, because the ping comes after COMMIT. An unchanged upload has no news for search engines, so its ping
 * is `skipped` at once.
 */
export function describeBeforePing(needs: UploadAnswerNeeds, upload: AcceptedUpload): Uploaded {
  const shown = describeUpload(needs, upload);
  const { pingSearch: isAsked, dryRun, isUnchanged } = upload;
  if (!isAsked || dryRun || !isUnchanged) return shown;
  return { ...shown, searchPing: { status: 'skipped', pingedAt: isoSeconds(needs.now()) } };
}

/** Pings search engines if the upload asks for it and has changed the sitemap, and adds the result. */
export async function withPing(
  { ping, now }: UploadAnswerNeeds,
  { pingSearch: isAsked, dryRun, isUnchanged }: AcceptedUpload,
  shown: Uploaded,
): Promise<Uploaded> {
  if (!isAsked || dryRun || isUnchanged) return shown;
  const { status, pingedAt } = await pingSearch(ping, shown.sitemapUrl, now);
  return { ...shown, searchPing: { status, pingedAt: isoSeconds(pingedAt) } };
}

/** Describes the rejected entries (spec D59). */
function describeRejected({ rejected, uploadId }: Described) {
  if (rejected === undefined) return {};
  return { rejected, ...(rejected > 0 && { rejectsUrl: rejectsPath(uploadId) }) };
}

/** Returns the URLs of a sitemap. `indexUrl` is present if the sitemap has several files or a name (spec 4.5). */
export function addressesOf(origin: string, sitemapName: string, fileCount: number) {
  const sitemapUrl = `${origin}/${sitemapFileName(sitemapName)}`;
  const hasIndexUrl = fileCount > 1 || sitemapName !== DEFAULT_SITEMAP;
  return { sitemapUrl, ...(hasIndexUrl && { indexUrl: `${origin}/${DOMAIN_INDEX_FILE}` }) };
}

/** Describes whether the sitemap is served yet (spec D34). */
export function servedOrNot({ isServed, domain }: Pick<Described, 'isServed' | 'domain'>) {
  if (isServed) return { served: true };
  const servedNote =
    `Nothing is served before ${domain.hostname} is verified. ` +
    `Point its CNAME record at its cnameTarget, then POST /api/domains/${domain.id}/verify.`;
  return { served: false, servedNote };
}

/** Describes the submission of changed URLs (spec D51). The number of URLs is not known yet. */
export function submission({ indexNow }: Pick<Described, 'indexNow'>, submitsUrls: boolean) {
  if (indexNow === undefined) return {};
  return { indexNow: { status: submitsUrls ? indexNow : 'skipped', urlsSubmitted: 0 } };
}
