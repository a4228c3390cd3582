/**
 * `npm run release -- 0.2.0` makes a release: it writes the version into all its places, dates the section of the changelog, commits, tags
 * `v0.2.0`, and packs the client into `release/`. It pushes nothing. With `--dry-run` it only lists the files that it would write. With
 * `--no-pack` it packs nothing.
 *
 * It refuses a work tree with changes, a version that is not newer or is a tag already, and a changelog without news or without a section
 * for operators (`### Upgrade`).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import semver from 'semver';

const CHANGELOG = 'docs/CHANGELOG.md';
const UNRELEASED = '## Unreleased\n';

/** The places of the version. In `text`, VERSION stands for the version. The file has the text exactly once. */
export const PLACES: readonly { readonly file: string; readonly text: string }[] = [
  { file: 'package.json', text: '  "version": "VERSION",\n' },
  { file: 'client/package.json', text: '  "version": "VERSION",\n' },
  { file: 'package-lock.json', text: '  "name": "waypost-server",\n  "version": "VERSION",\n' },
  { file: 'package-lock.json', text: '      "name": "waypost-server",\n      "version": "VERSION",\n' },
  { file: 'package-lock.json', text: '      "name": "waypost",\n      "version": "VERSION",\n' },
  { file: 'client/src/version.ts', text: " = 'VERSION';\n" },
  { file: 'python/waypost.py', text: '__version__ = "VERSION"\n' },
  { file: 'Dockerfile', text: 'org.opencontainers.image.version="VERSION"\n' },
  { file: 'deploy/kubernetes/image/kustomization.yaml', text: '    newTag: VERSION\n' },
  { file: 'test/openapi.json', text: '    "version": "VERSION",\n' },
  { file: 'test/operator-openapi.json', text: '    "version": "VERSION",\n' },
  { file: 'client/README.md', text: './waypost-VERSION.tgz ' },
  { file: 'pages/views/quick-start/commands.ts', text: "./waypost-VERSION.tgz'" },
];

export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused';
}

/** Returns the changelog with a section of this version. `date`: as in 2026-12-01. Throws ReleaseRefused. */
export function datedChangelog(changelog: string, version: string, date: string): string {
  const at = changelog.indexOf(UNRELEASED);
  if (at === -1) throw new ReleaseRefused(`${CHANGELOG} has no section "Unreleased"`);
  const rest = changelog.slice(at + UNRELEASED.length);
  const end = rest.search(/^## /m);
  const section = end === -1 ? rest : rest.slice(0, end);
  if (!/^### (Added|Changed|Fixed|Removed)$/m.test(section))
    throw new ReleaseRefused(`${CHANGELOG} has nothing that is new`);
  if (!/^### Upgrade$/m.test(section)) {
    throw new ReleaseRefused(
      `${CHANGELOG} does not say what operators do: add "### Upgrade", if only with "Nothing to do."`,
    );
  }
  const before = changelog.slice(0, at).replace(' There is no release yet.', '');
  return `${before}${UNRELEASED}\n## ${version} - ${date}\n${rest}`;
}

/** Replaces the version in a file. Throws ReleaseRefused if the file does not have the text exactly once. */
export function withVersion(
  content: string,
  { file, text }: (typeof PLACES)[number],
  former: string,
  version: string,
): string {
  const parts = content.split(text.replace('VERSION', former));
  if (parts.length !== 2) {
    throw new ReleaseRefused(`${file} has ${JSON.stringify(text)} ${parts.length - 1} times for ${former}`);
  }
  return parts.join(text.replace('VERSION', version));
}

function release(
  project: string,
  version: string,
  { isDry, packs }: { readonly isDry: boolean; readonly packs: boolean },
): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  const read = (file: string) => readFileSync(join(project, file), 'utf8');
  const former: string = JSON.parse(read('package.json')).version;
  if (semver.valid(version) !== version) throw new ReleaseRefused(`${version} is not a version, as in 0.2.0`);
  if (!semver.gt(version, former)) throw new ReleaseRefused(`${version} is not newer than ${former}`);
  if (git('status', '--porcelain') !== '')
    throw new ReleaseRefused('the work tree has changes; commit them first');
  if (git('tag', '--list', `v${version}`) !== '') throw new ReleaseRefused(`v${version} is a tag already`);

  const files = new Map<string, string>();
  for (const place of PLACES) {
    files.set(place.file, withVersion(files.get(place.file) ?? read(place.file), place, former, version));
  }
  files.set(CHANGELOG, datedChangelog(read(CHANGELOG), version, new Date().toISOString().slice(0, 10)));
  for (const [file, content] of files) {
    if (!isDry) writeFileSync(join(project, file), content);
    console.log(`${isDry ? 'would write' : 'wrote'} ${file}`);
  }
  if (isDry) return;

  git('add', ...files.keys());
  git('commit', '--quiet', '--message', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Waypost ${version}`);
  console.log(`committed and tagged v${version}`);
  if (packs) {
    mkdirSync(join(project, 'release'), { recursive: true });
    const args = ['pack', '--workspace', 'client', '--pack-destination', 'release', '--silent'];
    console.log(`packed release/${execFileSync('npm', args, { cwd: project, encoding: 'utf8' }).trim()}`);
  }
  console.log(`push it with: git push --follow-tags`);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean' },
      'no-pack': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help || positionals.length !== 1) {
    console.log('npm run release -- VERSION [--dry-run] [--no-pack]');
    process.exit(values.help ? 0 : 64);
  }
  try {
    release(process.cwd(), positionals[0]!, {
      isDry: values['dry-run'] === true,
      packs: values['no-pack'] !== true,
    });
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
