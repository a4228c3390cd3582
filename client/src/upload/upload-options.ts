/** The options of an upload, and their query parameters. */
import { type DialectOptions, dialectQuery } from './dialect-options.ts';

export interface UploadOptions extends DialectOptions {
  /** Default: the unnamed sitemap. */
  readonly sitemapName?: string | undefined;
  /** A file has at most 50,000, 10,000 or 1,000 entries. Default `standard`. */
  readonly sizeLimit?: 'standard' | 'balanced' | 'gsc-optimized' | undefined;
  /** `stable` leaves each entry in its file, and `order` follows the list. Default: the placement of the domain. */
  readonly placement?: 'stable' | 'order' | undefined;
  /** The service refuses an upload with another number of URLs. */
  readonly expectedUrlCount?: number | undefined;
  /** `skip` leaves invalid entries out, up to `maxRejected` or `maxRejectedPercent`. Default `fail`. */
  readonly onInvalid?: 'fail' | 'skip' | undefined;
  /** Default 0, unless there is a percentage. */
  readonly maxRejected?: number | undefined;
  readonly maxRejectedPercent?: number | undefined;
  /** Checks the whole upload and publishes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Publishes in spite of the domain's guard, and even if nothing has changed. */
  readonly force?: boolean | undefined;
  /** The only generation that the upload may replace. 0: the sitemap must not exist yet. */
  readonly ifGeneration?: number | undefined;
}

export function uploadQuery(domain: string | undefined, options: UploadOptions) {
  const { sitemapName, sizeLimit, placement, expectedUrlCount, onInvalid, maxRejected } = options;
  const { maxRejectedPercent, dryRun, force, ifGeneration } = options;
  return {
    domain,
    sitemapName,
    sizeLimit,
    placement,
    expectedUrlCount,
    onInvalid,
    maxRejected,
    maxRejectedPercent,
    dryRun: dryRun || undefined,
    force: force || undefined,
    ifGeneration,
    ...dialectQuery(options),
  };
}
