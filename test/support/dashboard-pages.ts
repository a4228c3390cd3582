/**
 * Vitest's global setup: builds the pages of the dashboard, as `prestart` does. Without them the API warns.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };

const PROJECT = new URL('../../', import.meta.url);
const VITE = fileURLToPath(new URL('node_modules/vite/bin/vite.js', PROJECT));

export async function setup(): Promise<void> {
  const parameters = packageJson.scripts['build:dashboard'].split(' ').slice(1);
  const env = { ...process.env, NODE_ENV: 'production' };
  // Another run may be reading the pages.
  const kept = '--no-emptyOutDir';
  await promisify(execFile)(process.execPath, [VITE, ...parameters, kept], { cwd: PROJECT, env });
}
