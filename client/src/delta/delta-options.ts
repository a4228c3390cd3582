/** The options of a delta, and their query parameters. */
import type { DialectOptions } from '../upload/dialect-options.ts';

export interface DeltaOptions extends Pick<DialectOptions, 'timezone' | 'dates'> {
  /** Default: the unnamed sitemap. The sitemap must exist. */
  readonly sitemapName?: string | undefined;
  /** The only generation that the delta may change. */
  readonly ifGeneration?: number | undefined;
  /** `fail`: the service refuses a delta that removes URLs which the sitemap does not have. Default `ignore`. */
  readonly onMissing?: 'ignore' | 'fail' | undefined;
  /** Publishes in spite of the domain's guard. */
  readonly force?: boolean | undefined;
  /** Returns the changes and publishes nothing. */
  readonly dryRun?: boolean | undefined;
}

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
