/** The options of a schedule, and the body of its request. */
import { type LoadOptions, loadBody } from './load-options.ts';

export interface ScheduleOptions
  extends Omit<LoadOptions, 'name' | 'sitemapName' | 'force' | 'ifGeneration'> {
  /** Five fields, as in `0 6 * * *`. Default: no times, only a hook. */
  readonly cron?: string | null | undefined;
  /** The time zone of `cron`, as in `Europe/Berlin`. Default UTC. */
  readonly cronTimezone?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export function scheduleBody(sources: readonly string[], options: ScheduleOptions) {
  const { cron, cronTimezone: timezone, enabled, ...ofLoad } = options;
  const { domain: _, ...load } = loadBody('', sources, ofLoad);
  return { cron, timezone, enabled, load };
}
