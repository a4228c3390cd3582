import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BESIDE, FLOORS, NARROW, PACKAGE_ROOMS, roomOf, UNREACHABLE } from './floors.ts';
import { importsOf, PROJECT, pathTo, reachOf } from './import-graph.ts';
import { PAGES_WITH_ROOMS, withRooms } from './write-rooms.ts';

const sources = globSync('src/**/*.ts', { cwd: PROJECT });
const folders = { src: { imports: [] }, ...BESIDE };
const floorOf = new Map(
  FLOORS.flatMap(({ rooms }, depth) => Object.keys(rooms).map((room) => [room, depth])),
);

function mayImport(file: string, target: string): boolean {
  const from = roomOf(file)!;
  const to = roomOf(target)!;
  if (from === to) return true;
  const narrow = NARROW[from];
  if (narrow !== undefined) return narrow.includes(to) || narrow.includes(target.replace('src/', ''));
  return floorOf.get(to)! > floorOf.get(from)!;
}

test('every room stands on a floor', () => {
  expect([...floorOf.keys()].sort()).toEqual([...new Set(sources.map((file) => roomOf(file)!))].sort());
});

test.for(PAGES_WITH_ROOMS)('%s has the table of rooms', (name) => {
  const page = readFileSync(join(PROJECT, name), 'utf8');
  expect(page, 'npm run rooms writes it').toBe(withRooms(page));
});

test.for(Object.entries(folders))('%s imports only from where it may', ([folder, { imports }]) => {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: PROJECT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  expect(files.length).toBeGreaterThan(0);
  const others = Object.keys(folders).filter((name) => name !== folder);
  const seen = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => others.includes(target.split('/', 1)[0]!))
      .filter((target) => !imports.some((pattern) => matchesGlob(target, pattern)))
      .map((target) => `${file} → ${target}`),
  );
  expect(seen).toEqual([]);
});

test('docs/CONTRIBUTING.md names no file that is gone', () => {
  const page = readFileSync(join(PROJECT, 'docs/CONTRIBUTING.md'), 'utf8');
  const named = Array.from(
    page.matchAll(/`((?:src|test|client|workers|kernels|pages|tools|docs)\/[\w./*-]+)`/g),
    ([, path]) => path!,
  );
  expect(named.length).toBeGreaterThan(20);
  // Patterns of names, and what a build writes.
  const stand = ['src/core/schema/migrations/NNNN_name.sql', 'test/service/x.test.ts', 'client/dist'];
  const isGone = (path: string) => globSync(`${path}*`, { cwd: PROJECT }).length === 0;
  expect(named.filter((path) => !stand.includes(path) && isGone(path))).toEqual([]);
});

test('rooms import from lower floors only', () => {
  const upward = sources.flatMap((file) =>
    importsOf(file)
      .filter((target) => roomOf(target) !== undefined && !mayImport(file, target))
      .map((target) => `${file} → ${target}`),
  );
  expect(upward).toEqual([]);
});

test('the edges with routes get verbs of the rooms below: no database, and no transaction by name', () => {
  const routes = sources.filter((file) => /^src\/edges\/(api|dashboard|operator)\//.test(file));
  expect(routes.length).toBeGreaterThan(80);
  const seen = routes.filter(
    (file) =>
      importsOf(file).some((target) => target.startsWith('src/platform/postgres/')) ||
      /\b(Database|Queryable|Transaction)\b/.test(readFileSync(join(PROJECT, file), 'utf8')),
  );
  expect(seen).toEqual([]);
});

test('packages are imported where they belong', () => {
  const misplaced = [...sources, ...globSync('workers/*.ts', { cwd: PROJECT })].flatMap((file) =>
    importsOf(file)
      .filter((name) => !(PACKAGE_ROOMS[name] ?? [roomOf(file)]).includes(roomOf(file)!))
      .map((name) => `${file} → ${name}`),
  );
  expect(misplaced).toEqual([]);
});

describe.for(Object.entries(UNREACHABLE))('%s', ([program, unreachable]) => {
  test.for(unreachable)('cannot reach %s', (name) => {
    const reach = reachOf(program);
    expect(reach.packages.has(name) ? pathTo(name, reach) : []).toEqual([]);
  });
});

test('the graph sees what the other programs reach', () => {
  const { files, packages } = reachOf('src/all-in-one.ts');
  expect(files).toContain('src/edges/hosting/create-hosting.ts');
  for (const name of ['express', 'pg', 'graphile-worker', 'piscina']) expect(packages).toContain(name);
  for (const program of globSync('src/*.ts', { cwd: PROJECT })) {
    expect(reachOf(program).files.length, program).toBeGreaterThan(1);
  }
});

test('the service suite sees only the wire', () => {
  const suite = globSync('test/service/**/*.ts', { cwd: PROJECT });
  expect(suite.length).toBeGreaterThan(20);
  const isRoom = (target: string) => roomOf(target) !== undefined;
  const knowsRooms = (target: string) => target.startsWith('tools/') && importsOf(target).some(isRoom);
  const seen = suite.flatMap((file) =>
    importsOf(file).filter((target) => isRoom(target) || knowsRooms(target)),
  );
  expect(seen).toEqual([]);
});

test('the client has nothing of the service, and one package', () => {
  const client = globSync('client/src/**/*.ts', { cwd: PROJECT });
  expect(client.length).toBeGreaterThan(20);
  const seen = new Set(client.flatMap(importsOf).filter((target) => !target.startsWith('client/src/')));
  expect([...seen]).toEqual(['commander']);
});
