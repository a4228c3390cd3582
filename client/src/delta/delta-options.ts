/** The options of a delta, and their query parameters. */

export interface DeltaOptions {
  /** Default: the unnamed sitemap. It must exist. */
  readonly sitemapName?: string | undefined;
  /** The only generation that the delta may change. */
  readonly ifGeneration?: number | undefined;
  /** `fail` refuses a delta that removes URLs which the sitemap does not have. Default `ignore`. */
  readonly onMissing?: 'ignore' | 'fail' | undefined;
  /** Publishes in spite of the domain's guard. */
  readonly force?: boolean | undefined;
  /** Tells what would change and publishes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The zone of times without one. */
  readonly timezone?: string | undefined;
  readonly dates?: (typeof DATE_SPELLINGS)[number] | undefined;
}

/** How dates may be written. */
export const DATE_SPELLINGS = [
  'iso',
  'dmy',
  'mdy',
  'excel',
  'unix-seconds',
  'unix-millis',
  'unix-micros',
] as const;

export function deltaQuery(domain: string, options: DeltaOptions) {
  const { sitemapName, ifGeneration, onMissing, force, dryRun, timezone, dates } = options;
  return {
    domain,
    sitemapName,
    ifGeneration,
    onMissing,
    force: force || undefined,
    dryRun: dryRun || undefined,
    timezone,
    dates,
  };
}
