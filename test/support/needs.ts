/**
 * Programs and files that some tests need and some machines lack. A test declares its needs:
 *
 *   test('title', needs('xmllint'), () => …);
 *
 * The test is skipped if one of them is missing. `skipped-tests.ts` reports this in one line at the end of the run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestOptions } from 'vitest';
import { findNode20 } from './find-node-20.ts';
import { findOlderPostgres } from './older-postgres.ts';
import { SCHEMA_FOLDERS } from './schema-folders.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The reason why a test or a whole suite is skipped. */
    missing?: readonly Need[];
  }
}

interface Source {
  readonly isHere: () => boolean;
  /** The command that installs it. */
  readonly get: string;
}

/** A Python with pandas and PyArrow. Debian has no PyArrow. */
export const ARROW_PYTHON = process.env.ARROW_PYTHON ?? '/usr/bin/python3';

/** Files that tools wrote. */
export const EXPORTS = new URL('../../../shared/exports/', import.meta.url);

const SOURCES = {
  'the public schemas': { isHere: () => SCHEMA_FOLDERS.some(existsSync), get: 'npm run test:schemas' },
  xmllint: program('xmllint', '--version', 'libxml2-utils'),
  curl: program('curl', '--version', 'curl'),
  openssl: program('openssl', 'version', 'openssl'),
  testssl: program('testssl', '--version', 'testssl.sh'),
  haproxy: program('haproxy', '-v', 'haproxy'),
  pgbouncer: program('pgbouncer', '--version', 'pgbouncer'),
  'an older Postgres': { isHere: () => findOlderPostgres() !== undefined, get: 'apt-get install postgresql' },
  scrapy: program('scrapy', 'version', 'python3-scrapy'),
  aws: program('/usr/bin/aws', '--version', 'awscli'),
  faketime: program('faketime', '--version', 'faketime'),
  python3: program('python3', '--version', 'python3'),
  'Node 20': { isHere: () => findNode20() !== undefined, get: 'Node 20 on the PATH, or NODE_20=FILE' },
  sqlite3: program('sqlite3', '--version', 'sqlite3'),
  jq: program('jq', '--version', 'jq'),
  pandas: {
    isHere: () => runs('/usr/bin/python3', '-c', 'import pandas'),
    get: 'apt-get install python3-pandas',
  },
  pyarrow: {
    isHere: () => runs(ARROW_PYTHON, '-c', 'import pandas, pyarrow'),
    get: 'pip install pandas pyarrow, and ARROW_PYTHON=PROGRAM',
  },
  'the exports of tools': {
    isHere: () => existsSync(EXPORTS),
    get: 'the folder shared/exports beside the checkout',
  },
  protego: {
    isHere: () => runs('/usr/bin/python3', '-c', 'import protego'),
    get: 'apt-get install python3-protego',
  },
  feedparser: {
    isHere: () => runs('/usr/bin/python3', '-c', 'import feedparser'),
    get: 'apt-get install python3-feedparser',
  },
  chromium: program('chromium', '--version', 'chromium'),
  'firefox-esr': program('firefox-esr', '--version', 'firefox-esr'),
  promtool: program('promtool', '--version', 'prometheus'),
  'the npm registry': { isHere: () => runs('npm', 'ping'), get: 'a network' },
  'docker-compose': program('docker-compose', 'version', 'docker-compose'),
  kubectl: { isHere: () => runs('kubectl', 'kustomize', '--help'), get: 'kubectl 1.21 or newer on the PATH' },
  'systemd-analyze': program('systemd-analyze', '--version', 'systemd'),
  'names of Debian packages': {
    isHere: () => (spawnSync('apt-cache', ['pkgnames']).stdout ?? '').length > 0,
    get: 'apt-get update',
  },
  pebble: {
    isHere: () => ['pebble', 'pebble-challtestsrv'].every(isPebbleProgram),
    get: 'apt-get install pebble from Debian sid (2.10 or newer), or PEBBLE_BIN=FOLDER with its programs',
  },
  'an S3 store': {
    isHere: () => process.env.S3_TEST_ENDPOINT !== undefined || runs('radosgw', '--version'),
    get: 'apt-get install radosgw ceph-mon ceph-osd ceph-common, or S3_TEST_ENDPOINT and its keys',
  },
} satisfies Record<string, Source>;

export type Need = keyof typeof SOURCES;

/** The needs that answer within a second. Tests of every tier may have them. All other needs make a test a peer (test/tiers.ts). */
export const QUICK: ReadonlySet<string> = new Set<Need>([
  'the public schemas',
  'names of Debian packages',
  'pyarrow',
  'xmllint',
  'curl',
  'openssl',
  'python3',
  'sqlite3',
  'jq',
  'pandas',
  'the exports of tools',
  'protego',
  'feedparser',
  'docker-compose',
  'kubectl',
  'systemd-analyze',
]);

const known = new Map<Need, boolean>();

export function isHere(need: Need): boolean {
  const is = known.get(need) ?? SOURCES[need].isHere();
  known.set(need, is);
  return is;
}

/** Options of a test or a suite: skip it if a need is missing. */
export function needs(...wanted: Need[]): TestOptions {
  const missing = wanted.filter((need) => !isHere(need));
  return missing.length === 0 ? {} : { skip: true, meta: { missing } };
}

export function howToGet(need: Need): string {
  return SOURCES[need].get;
}

function program(name: string, versionArgument: string, debianPackage: string): Source {
  return { isHere: () => runs(name, versionArgument), get: `apt-get install ${debianPackage}` };
}

/** Looks for the file, because pebble-challtestsrv has no option that prints its version and ends. */
function isPebbleProgram(name: string): boolean {
  const { PATH = '', PEBBLE_BIN } = process.env;
  const folders = PEBBLE_BIN === undefined ? PATH.split(delimiter) : [PEBBLE_BIN];
  return folders.some((folder) => existsSync(join(folder, name)));
}

function runs(name: string, ...args: string[]): boolean {
  return spawnSync(name, args).status === 0;
}
