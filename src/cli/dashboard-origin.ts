/** Finds the origin of the dashboard, for links to it. */
import { join } from 'node:path';
import { readDemo } from '../compose/demo-account.ts';
import type { Config } from '../core/config/config.ts';
import { UsageError } from './usage-error.ts';

/** Returns the origin, as in https://api.example.net. Throws UsageError if there is no dashboard. */
export async function getDashboardOrigin(config: Config): Promise<string> {
  if (config.DASHBOARD_ORIGIN !== undefined) return config.DASHBOARD_ORIGIN;
  const demo =
    config.DATABASE_URL === undefined ? await readDemo(join(config.DATA_DIR, 'demo.json')) : undefined;
  if (demo === undefined) throw new UsageError('There is no dashboard: DASHBOARD_ORIGIN is not set.');
  return demo.apiUrl;
}
