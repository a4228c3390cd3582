/** The tree of another commit of this project, with its packages, to run its programs. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '../..');

export interface CheckedOut extends AsyncDisposable {
  /** The short name of the commit. */
  readonly name: string;
  /** The folder of the tree. */
  readonly tree: string;
  /** The folder around it, which is removed with it. */
  readonly folder: string;
}

/** `commit`: any name that Git knows. Installs its packages, which takes up to a minute. */
export async function checkOut(commit: string): Promise<CheckedOut> {
  const inProject = { cwd: PROJECT, encoding: 'utf8' } as const;
  const name = execFileSync('git', ['rev-parse', '--short', commit], inProject).trim();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-version-'));
  const tree = join(folder, 'tree');
  execFileSync('git', ['worktree', 'add', '--detach', tree, name], inProject);
  const remove = async () => {
    execFileSync('git', ['worktree', 'remove', '--force', tree], inProject);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree, stdio: 'inherit' });
  } catch (error) {
    await remove();
    throw error;
  }
  return { name, tree, folder, [Symbol.asyncDispose]: remove };
}
