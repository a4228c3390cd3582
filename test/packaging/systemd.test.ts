/** deploy/systemd: systemd takes the units, finds little that they expose, and they run what docker-compose.yml runs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { graceMs } from './programs-settings.ts';

const FOLDER = join(PROJECT, 'deploy/systemd');
const UNITS = readdirSync(FOLDER).filter((name) => /\.(service|target)$/.test(name));
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));
/** Of 10: systemd calls up to 2 safe. */
const MAX_EXPOSURE = 2;

const unit = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const lineOf = (name: string, key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit(name))?.[1] ?? '';

/** What systemd says against the units of a folder. */
function faultsIn(folder: string): string[] {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...UNITS], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status === 0 || stderr !== '').toBe(true);
  // Node is where the machine has it.
  return stderr
    .split('\n')
    .filter((line) => line !== '' && !line.includes('/usr/bin/node is not executable'));
}

/** The names of the settings by which a unit exposes something. */
function exposuresOf(name: string, folder: string): string[] {
  const args = ['security', '--offline=yes', '--json=short', name];
  const { stdout } = spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8' });
  const settings: { name: string; exposure: string | null }[] = JSON.parse(stdout);
  return settings.filter(({ exposure }) => exposure !== null).map((setting) => setting.name);
}

test('systemd takes the units', needs('systemd-analyze'), () => expect(faultsIn(FOLDER)).toEqual([]));

test.for(SERVICES)('%s exposes little', needs('systemd-analyze'), (name) => {
  const args = ['security', '--offline=yes', '--no-pager', name];
  const { stdout } = spawnSync('systemd-analyze', args, { cwd: FOLDER, encoding: 'utf8' });
  const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
});

test('with https.conf the API may do what hosting may, and no more', needs('systemd-analyze'), async () => {
  const machine = await createTemporaryFolder();
  for (const name of UNITS) copyFileSync(join(FOLDER, name), join(machine, name));
  const readme = unit('README.md');
  const [, target = ''] =
    /install -D -m 644 deploy\/systemd\/https\.conf \/etc\/systemd\/system\/(\S+)/.exec(readme) ?? [];
  mkdirSync(join(machine, dirname(target)), { recursive: true });
  copyFileSync(join(FOLDER, 'https.conf'), join(machine, target));
  expect(faultsIn(machine)).toEqual([]);
  const ofHosting = exposuresOf('waypost-hosting.service', machine);
  expect(exposuresOf('waypost-api.service', machine)).toEqual(ofHosting);
  expect(exposuresOf('waypost-api.service', FOLDER)).not.toEqual(ofHosting);
});

test.for(SERVICES)('%s runs what docker-compose.yml runs', (name) => {
  const words = lineOf(name, 'ExecStart').replace('/usr/bin/', '').replace('/opt/waypost/', '').split(' ');
  const compose = readFileSync(join(PROJECT, 'docker-compose.yml'), 'utf8');
  expect(compose).toContain(`command: ${JSON.stringify(words).replaceAll(',', ', ')}`);
});

test('a process has more time to end than it takes', () => {
  const stopMs = (name: string) => Number(lineOf(name, 'TimeoutStopSec')) * 1000;
  expect(stopMs('waypost-api.service')).toBeGreaterThan(graceMs('API_GRACE_MS', 'IDLE_GRACE_MS') + 10_000);
  expect(stopMs('waypost-hosting.service')).toBeGreaterThan(graceMs('HOSTING_GRACE_MS', 'IDLE_GRACE_MS'));
});
