/** docker-compose.yml gives each process exactly the settings that it reads. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { graceMs, SETTINGS, settingsOf } from './programs-settings.ts';

interface Service {
  readonly command: readonly string[];
  readonly build?: string;
  readonly ports?: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly stop_grace_period?: string;
}

const FILE = join(PROJECT, 'docker-compose.yml');
const PROGRAMS = Object.entries({
  migrate: 'src/migrate.ts',
  api: 'src/api-server.ts',
  hosting: 'src/hosting-server.ts',
  jobs: 'src/job-runner.ts',
});
/** The store here is S3. */
const OF_OTHER_STORES = ['STORAGE_DIR'];
/** The container network determines these. */
const FIXED = [
  'BIND_ADDRESS',
  'API_PORT',
  'HOSTING_PORT',
  'HOSTING_TLS_PORT',
  'METRICS_PORT',
  'METRICS_ADDRESS',
  'OPERATOR_ADDRESS',
  'DATABASE_URL',
];
const REQUIRED = {
  S3_ACCESS_KEY: 'a',
  S3_SECRET_KEY: 'b',
  CNAME_BASE: 'c.example',
  CNAME_SECRET: 'd',
  CERTIFICATE_KEYS: 'f',
};

const services = servicesIn(readFileSync(FILE, 'utf8'));

function servicesIn(yaml: string): Record<string, Service> {
  return parse(yaml, { merge: true }).services;
}

describe.for(PROGRAMS)('%s', ([name, program]) => {
  const { command, environment } = services[name]!;

  test('runs its program', () => expect(command.at(-1)).toBe(program));

  test('gets exactly the settings that it reads', () => {
    const read = settingsOf(program).filter((name) => !OF_OTHER_STORES.includes(name));
    expect(Object.keys(environment).sort()).toEqual(read.sort());
  });

  test('has each setting from the variable of the same name, except those of the network', () => {
    for (const [setting, value] of Object.entries(environment)) {
      if (FIXED.includes(setting)) continue;
      const required = setting in REQUIRED;
      expect(String(value)).toMatch(new RegExp(`^\\$\\{${setting}:${required ? '\\?' : '-'}[^}]*\\}$`));
    }
  });
});

test('a container of ours may do what it must, and no log grows without end', () => {
  for (const [name, service] of Object.entries(services)) {
    const logging = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } };
    expect(service, name).toMatchObject({ logging, security_opt: ['no-new-privileges:true'] });
    if (service.build === undefined) continue;
    const confined = { read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'], mem_limit: '2g' };
    expect(service, name).toMatchObject(confined);
  }
});

test('a newer image of Postgres does not change the order of texts', () => {
  expect(services.postgres!.environment).toMatchObject({
    POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C',
  });
});

test('the plain port of the API is for this machine only', () => {
  expect(services.api!.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
});

test('every setting reaches a process, except those of all in one and of folders', () => {
  const given = new Set(PROGRAMS.flatMap(([name]) => Object.keys(services[name]!.environment)));
  expect(SETTINGS.filter((name) => !given.has(name))).toEqual(['DATA_DIR', 'STORAGE_DIR']);
});

test('required settings are required for every process, and .env.example marks them', () => {
  const required = Array.from(readFileSync(FILE, 'utf8').matchAll(/\$\{(\w+):\?/g), ([, name]) => name!);
  const example = readFileSync(join(PROJECT, '.env.example'), 'utf8');
  const marked = Array.from(example.matchAll(/^# compose\b.*\n([A-Z0-9_]+)=$/gm), ([, name]) => name!);
  expect([...new Set(required)].sort()).toEqual(marked.sort());
  expect(marked.sort()).toEqual([...Object.keys(REQUIRED), 'POSTGRES_PASSWORD'].sort());
});

test.for(['api', 'hosting'])('%s has more time to stop than its grace period', (name) => {
  const stopMs = Number(/^(\d+)s$/.exec(services[name]!.stop_grace_period ?? '')?.[1]) * 1000;
  const own = name === 'api' ? 'API_GRACE_MS' : 'HOSTING_GRACE_MS';
  // The API answers the uploads that did not end in time, and clears up after them.
  const lastMs = name === 'api' ? 10_000 : 0;
  expect(stopMs).toBeGreaterThan(graceMs('IDLE_GRACE_MS', own) + lastMs);
});

test('docker-compose accepts the file, and passes on the values of .env', needs('docker-compose'), () => {
  const values = Object.fromEntries(SETTINGS.map((name) => [name, `value-of-${name}`]));
  const { status, stdout, stderr } = spawnSync('docker-compose', ['-f', FILE, 'config'], {
    env: { PATH: process.env.PATH, POSTGRES_PASSWORD: 'e', ...values },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const resolved = servicesIn(stdout);
  expect(resolved.migrate!.environment.DATABASE_URL).toContain(':e@postgres:');
  for (const [name] of PROGRAMS) {
    for (const [setting, value] of Object.entries(resolved[name]!.environment)) {
      if (!FIXED.includes(setting)) expect(value).toBe(values[setting]);
    }
  }
});
