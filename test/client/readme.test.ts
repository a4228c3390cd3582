/** client/README.md has every command, every option of an upload and of a delta, and every exit code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../client/src/cli/create-program.ts';
import { EXIT } from '../../client/src/cli/exit-codes.ts';
import { PROJECT } from '../architecture/import-graph.ts';

const README = readFileSync(join(PROJECT, 'client/README.md'), 'utf8');
const program = createProgram();

test.for(program.commands.map((command) => command.name()))('the command %s', (name) => {
  expect(README).toContain(`waypost ${name}`);
});

test.for([
  ['upload', 20],
  ['delta', 10],
] as const)('every option of %s', ([name, least]) => {
  const command = program.commands.find((one) => one.name() === name)!;
  const options = [...command.options, ...program.options].map(({ long }) => long!);
  expect(options.length).toBeGreaterThan(least);
  const obvious = ['--version', '--name', '--domain'];
  expect(options.filter((option) => !README.includes(option) && !obvious.includes(option))).toEqual([]);
});

test('every exit code', () => {
  for (const code of Object.values(EXIT)) expect(README).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
});
