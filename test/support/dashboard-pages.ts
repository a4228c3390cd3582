/** Vitest's global setup: builds the pages of the dashboard, as `prestart` does. Without them the API warns. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };

const PROJECT = new URL('../../', import.meta.url);
const VITE = new URL('node_modules/vite/bin/vite.js', PROJECT).pathname;
const SOURCES = new URL('src/dashboard/web/vite.config.ts', PROJECT);

export async function setup(): Promise<void> {
  // A checkout without pages has none to build.
  if (!existsSync(SOURCES)) return;
  const parameters = packageJson.scripts['build:dashboard'].split(' ').slice(1);
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [VITE, ...parameters], { cwd: PROJECT, env });
}
