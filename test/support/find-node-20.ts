/** Finds the oldest Node that the client supports: at NODE_20, or on the PATH. */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

export function findNode20(): string | undefined {
  const { PATH = '', NODE_20 } = process.env;
  const files =
    NODE_20 === undefined ? PATH.split(delimiter).map((folder) => join(folder, 'node')) : [NODE_20];
  return [...new Set(files)].find((file) => {
    const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
    return stdout?.startsWith('v20.');
  });
}
