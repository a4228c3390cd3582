/** The documents name commands and options of the operators' command line that are there. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/create-program.ts';
import { PROJECT } from '../architecture/import-graph.ts';

const LINE = /(?:node src\/cli\.ts|npm run (?:-s )?cli --) ([^`\n]+)/g;

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: PROJECT, encoding: 'utf8' })
  .trim()
  .split('\n');
const lines = documents.flatMap((file) =>
  Array.from(readFileSync(join(PROJECT, file), 'utf8').matchAll(LINE), ([, line]) => ({
    file,
    line: line!.trim(),
  })),
);

const named = (command: Command, word: string | undefined) =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word ?? ''));

test('there are such lines', () => {
  expect(lines.length).toBeGreaterThan(15);
});

test.for(lines.filter(({ line }) => line !== '…'))('$file: $line', ({ line }) => {
  const words = line.split(/\s+/);
  let command: Command = createProgram();
  while (command.commands.length > 0) {
    const next = named(command, words[0]);
    expect(next, `${command.name()} ${words[0]}`).toBeDefined();
    command = next!;
    words.shift();
  }
  const options = command.options.flatMap(({ long, short }) => [long, short]);
  expect(words.filter((word) => word.startsWith('-') && !options.includes(word))).toEqual([]);
});
