/** client/README.md has every command, every option of an upload and every exit code. */
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

test('every option', () => {
  const upload = program.commands.find((command) => command.name() === 'upload')!;
  const options = [...upload.options, ...program.options].map(({ long }) => long!);
  expect(options.length).toBeGreaterThan(20);
  const obvious = ['--version', '--name', '--domain'];
  expect(options.filter((option) => !README.includes(option) && !obvious.includes(option))).toEqual([]);
});

test('every exit code', () => {
  for (const code of Object.values(EXIT)) expect(README).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
});
