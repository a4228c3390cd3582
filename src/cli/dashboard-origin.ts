/** Finds the origin of the dashboard, for links to it. */
import { join } from 'node:path';
import { readDemo } from '../compose/demo-account.ts';
import type { Config } from '../core/config/config.ts';
import { UsageError } from './usage-error.ts';

/** Returns the origin, as in https://api.example.net. Throws UsageError if there is no dashboard. */
export async function getDashboardOrigin(config: Config): Promise<string> {
  if (config.DASHBOARD_ORIGIN !== undefined) return config.DASHBOARD_ORIGIN;
  const demo = await readOwnDemo(config);
  if (demo === undefined) throw new UsageError('There is no dashboard: DASHBOARD_ORIGIN is not set.');
  return demo.apiUrl;
}

/** Returns the demo account of the all-in-one program on DATA_DIR; undefined for separate processes, and before it is made. */
export async function readOwnDemo({ DATABASE_URL, DATA_DIR }: Config) {
  return DATABASE_URL === undefined ? readDemo(join(DATA_DIR, 'demo.json')) : undefined;
}
