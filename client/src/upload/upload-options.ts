/** What an upload may ask for, and the query parameters that say so. */

export interface UploadOptions {
  /** Without it, the unnamed sitemap. */
  readonly sitemapName?: string | undefined;
  /** Entries in a file: at most 50,000, 10,000 or 1,000. Default `standard`. */
  readonly sizeLimit?: 'standard' | 'balanced' | 'gsc-optimized' | undefined;
  /** Another number of URLs is refused. */
  readonly expectedUrlCount?: number | undefined;
  /** `skip`: invalid entries are left out, up to `maxRejected` or `maxRejectedPercent`. Default `fail`. */
  readonly onInvalid?: 'fail' | 'skip' | undefined;
  /** Default 0, unless there is a percentage. */
  readonly maxRejected?: number | undefined;
  readonly maxRejectedPercent?: number | undefined;
  /** Checks everything and publishes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Publishes in spite of the domain's guard. */
  readonly force?: boolean | undefined;
  /** The generation that the upload may replace; 0: none. Another one is refused. */
  readonly ifGeneration?: number | undefined;
}

export function uploadQuery(domain: string | undefined, options: UploadOptions) {
  const { sitemapName, sizeLimit, expectedUrlCount, onInvalid, maxRejected } = options;
  const { maxRejectedPercent, dryRun, force, ifGeneration } = options;
  return {
    domain,
    sitemapName,
    sizeLimit,
    expectedUrlCount,
    onInvalid,
    maxRejected,
    maxRejectedPercent,
    dryRun: dryRun || undefined,
    force: force || undefined,
    ifGeneration,
  };
}
