import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAssemblyScript } from '../support/assembly-script.ts';
import { FLOORS, NARROW, PACKAGE_ROOMS, roomOf, UNREACHABLE } from './floors.ts';
import { importsOf, PROJECT, pathTo, reachOf } from './import-graph.ts';

const sources = globSync('{src,workers}/**/*.ts', { cwd: PROJECT }).filter((file) => !isAssemblyScript(file));
const floorOf = new Map(FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor])));

function mayImport(file: string, target: string): boolean {
  const from = roomOf(file)!;
  const to = roomOf(target)!;
  if (from === to) return true;
  if (from === 'workers') return ['uploads', 'changes'].includes(to);
  const narrow = NARROW[from];
  if (narrow !== undefined) return narrow.includes(to) || narrow.includes(target.replace('src/', ''));
  return floorOf.get(to)! < floorOf.get(from)!;
}

test('every room stands on a floor', () => {
  const rooms = new Set(sources.map(roomOf).filter((room) => room !== 'workers'));
  expect([...rooms].filter((room) => !floorOf.has(room!))).toEqual([]);
});

test('docs/CONTRIBUTING.md shows the rooms of each floor', () => {
  const page = readFileSync(join(PROJECT, 'docs/CONTRIBUTING.md'), 'utf8');
  const [, rows] = /^\| floor \| rooms \|\n.*\n((?:\|.*\n)+)/m.exec(page)!;
  const shown = rows!.trimEnd().split('\n').toReversed().slice(0, -1);
  const roomsIn = (row: string) => Array.from(row.matchAll(/`([\w-]+)\/`/g), ([, room]) => room!).sort();
  expect(shown.map(roomsIn)).toEqual(FLOORS.slice(0, -1).map((rooms) => [...rooms].sort()));
});

test('docs/CONTRIBUTING.md names no file that is gone', () => {
  const page = readFileSync(join(PROJECT, 'docs/CONTRIBUTING.md'), 'utf8');
  const named = Array.from(
    page.matchAll(/`((?:src|test|client|workers|docs)\/[\w./*-]+)`/g),
    ([, path]) => path!,
  );
  expect(named.length).toBeGreaterThan(20);
  // Patterns of names, and what a build writes.
  const stand = ['src/schema/migrations/NNNN_name.sql', 'test/service/x.test.ts', 'client/dist'];
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

test('packages are imported where they belong', () => {
  const misplaced = sources.flatMap((file) =>
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
  expect(files).toContain('src/hosting/create-hosting.ts');
  for (const name of ['express', 'pg', 'graphile-worker', 'piscina']) expect(packages).toContain(name);
  for (const program of globSync('src/*.ts', { cwd: PROJECT })) {
    expect(reachOf(program).files.length, program).toBeGreaterThan(1);
  }
});

test('the service suite sees only the wire', () => {
  const suite = globSync('test/service/**/*.ts', { cwd: PROJECT });
  expect(suite.length).toBeGreaterThan(20);
  const seen = suite.flatMap((file) => importsOf(file).filter((target) => roomOf(target) !== undefined));
  expect(seen).toEqual([]);
});

test('the client has nothing of the service, and one package', () => {
  const client = globSync('client/src/**/*.ts', { cwd: PROJECT });
  expect(client.length).toBeGreaterThan(20);
  const seen = new Set(client.flatMap(importsOf).filter((target) => !target.startsWith('client/src/')));
  expect([...seen]).toEqual(['commander']);
});
