/** The client as customers get it: packed by npm, and installed from the tarball into an empty folder, without a network. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../architecture/import-graph.ts';

/** Returns the folder in which `waypost` is installed. */
export function installPackedClient(folder: string): string {
  const target = join(folder, 'customer');
  mkdirSync(target);
  const [client, commander] = ['client', 'client/node_modules/commander'].map((path) => pack(path, folder));
  writeFileSync(join(target, 'package.json'), '{"name": "customer", "version": "1.0.0", "type": "module"}');
  npm(['install', '--offline', '--no-audit', '--no-fund', client!, commander!], target, folder);
  return target;
}

function pack(path: string, folder: string): string {
  const [made] = JSON.parse(
    npm(['pack', '--json', '--pack-destination', folder], join(PROJECT, path), folder),
  );
  return join(folder, made.filename);
}

function npm(args: readonly string[], cwd: string, folder: string): string {
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_cache: join(folder, 'cache'),
      npm_config_offline: 'true',
    },
  });
  if (status !== 0)
    throw new Error(`npm ${args.join(' ')} ended with ${status}: ${stderr}`, { cause: error });
  return stdout;
}
