/** `npm run release` in a clone of the project. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { datedChangelog, PLACES, ReleaseRefused, withVersion } from '../../tools/release.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const read = (file: string, project = PROJECT) => readFileSync(join(project, file), 'utf8');
const { version: today }: { version: string } = JSON.parse(read('package.json'));

test.for(PLACES)('$file has the version of today where a release writes it', (place) => {
  expect(withVersion(read(place.file), place, today, '99.0.0')).not.toBe(read(place.file));
});

test('the changelog gets a section, and must say what operators do', () => {
  const head = '# Changelog\n\nIt is here. There is no release yet.\n\n';
  const entries = '\n### Added\n\n- A.\n\n### Upgrade\n\nNothing to do.\n';
  expect(datedChangelog(`${head}## Unreleased\n${entries}`, '1.2.3', '2026-12-01')).toBe(
    `# Changelog\n\nIt is here.\n\n## Unreleased\n\n## 1.2.3 - 2026-12-01\n${entries}`,
  );
  const older = `## 1.0.0 - 2026-01-01\n${entries}`;
  for (const body of ['', entries.replace('### Upgrade', ''), entries.replace('### Added', '')]) {
    expect(() => datedChangelog(`${head}## Unreleased\n${body}\n${older}`, '1.2.3', '2026-12-01')).toThrow(
      ReleaseRefused,
    );
  }
  expect(() => datedChangelog(head, '1.2.3', '2026-12-01')).toThrow(ReleaseRefused);
});

test('a release is a commit with a tag, and a second one of its version is refused', async () => {
  const clone = join(await createTemporaryFolder(), 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${PROJECT}`, clone]);
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
  const release = (...args: string[]) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(PROJECT, 'tools/release.ts'), ...args, '--no-pack'],
      {
        ...{ cwd: clone, encoding: 'utf8' as const, env: { ...process.env, ...identity } },
      },
    );
    return { status, stderr };
  };
  const head = git('rev-parse', 'HEAD');
  expect(release('99.0.0', '--dry-run')).toEqual({ status: 0, stderr: '' });
  expect(git('rev-parse', 'HEAD')).toBe(head);
  expect(git('status', '--porcelain')).toBe('');

  appendFileSync(join(clone, 'README.md'), 'x');
  expect(release('99.0.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('has changes') });
  git('checkout', '--quiet', 'README.md');

  expect(release('99.0.0')).toEqual({ status: 0, stderr: '' });
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('Release 99.0.0');
  expect(git('rev-parse', 'v99.0.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(JSON.parse(read('package-lock.json', clone)).packages.client.version).toBe('99.0.0');
  expect(read('docs/CHANGELOG.md', clone)).toMatch(/## Unreleased\n\n## 99\.0\.0 - \d{4}-\d\d-\d\d\n/);

  expect(release('99.0.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('not newer') });
  expect(release('1.x')).toMatchObject({ status: 1, stderr: expect.stringContaining('not a version') });
});
