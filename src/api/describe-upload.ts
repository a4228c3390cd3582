/** Published uploads as the API shows them (spec 4.5). */
import { DEFAULT_SITEMAP, DOMAIN_INDEX_FILE, sitemapFileName } from '../sitemap/file-names.ts';
import { type SiteOrigins, siteOrigin } from '../sites/site.ts';
import type { AcceptedUpload } from '../uploads/accept-upload.ts';
import { rejectsPath } from '../uploads/entry-judge.ts';
import type { PublishedUpload } from '../uploads/publish-generation.ts';

/** An upload, or a rollback. */
type Described = PublishedUpload &
  Pick<AcceptedUpload, 'uploadId' | 'domain' | 'sitemapName'> &
  Partial<Pick<AcceptedUpload, 'dryRun' | 'rejected'>>;

export interface DescribeUploadOptions extends SiteOrigins {
  /** Whether the operator has configured where changed URLs are submitted. */
  readonly submitsUrls: boolean;
}

export function describeUpload(options: DescribeUploadOptions, upload: Described) {
  const { domain, sitemapName, urlCount, fileCount, uploadId, generation, warnings } = upload;
  return {
    domain: domain.hostname,
    ...(sitemapName !== DEFAULT_SITEMAP && { sitemapName }),
    uploadId,
    ...(upload.dryRun ? { dryRun: true } : { generation }),
    urlCount,
    filesGenerated: fileCount,
    ...describeRejected(upload),
    ...addressesOf(siteOrigin(options, domain.hostname, upload.isSecure), sitemapName, fileCount),
    ...servedOrNot(upload),
    ...submission(upload, options.submitsUrls),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Spec D59. */
function describeRejected({ rejected, uploadId }: Described) {
  if (rejected === undefined) return {};
  return { rejected, ...(rejected > 0 && { rejectsUrl: rejectsPath(uploadId) }) };
}

/** `indexUrl` is present when the sitemap has several files or a name (spec 4.5). */
export function addressesOf(origin: string, sitemapName: string, fileCount: number) {
  const sitemapUrl = `${origin}/${sitemapFileName(sitemapName)}`;
  const hasIndexUrl = fileCount > 1 || sitemapName !== DEFAULT_SITEMAP;
  return { sitemapUrl, ...(hasIndexUrl && { indexUrl: `${origin}/${DOMAIN_INDEX_FILE}` }) };
}

/** Spec D34. */
function servedOrNot({ isServed, domain }: Described) {
  if (isServed) return { served: true };
  const servedNote =
    `Nothing is served before ${domain.hostname} is verified. ` +
    `Point its CNAME record at its cnameTarget, then POST /api/domains/${domain.id}/verify.`;
  return { served: false, servedNote };
}

/** Spec D51. The number is never known yet. */
function submission({ indexNow }: Described, submitsUrls: boolean) {
  if (indexNow === undefined) return {};
  return { indexNow: { status: submitsUrls ? indexNow : 'skipped', urlsSubmitted: 0 } };
}
