/** `npm run bench -- requests`, at a hundredth: every load is answered, and every figure is there. */
import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Figure } from '../../bench/figures.ts';
import { PROJECT } from '../architecture/import-graph.ts';

const COLUMNS = ['requests/s', 'p50', 'p99', 'Node', 'Postgres'];

test.runIf(platform() === 'linux')('the bench of small requests', async () => {
  const parameters = ['bench/run.ts', 'requests', '--json', '--scale', '0.01'];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: PROJECT });
  const figures: Figure[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const rows = Map.groupBy(figures, ({ row }) => row);
  expect([...rows.keys()]).toEqual([
    'upload, 1 connection',
    'upload, 20 connections, a domain each',
    'upload, 100 connections, a domain each',
    'upload, 20 connections, one domain',
    'upload, 100 connections, one domain',
    'the same list, 20 connections, a domain each',
    'bare Express route, 20 connections',
    'GET /api/domains, 50 connections',
    undefined,
  ]);
  for (const [row, each] of rows) {
    if (row !== undefined)
      expect(
        each.map(({ name }) => name),
        row,
      ).toEqual(COLUMNS);
  }
  const answered = figures.filter(({ name }) => name === 'requests/s' || name === 'p99');
  expect(answered.filter(({ value }) => !(value > 0))).toEqual([]);
  expect(figures.filter(({ value }) => !(value >= 0 && value < Number.POSITIVE_INFINITY))).toEqual([]);
});
