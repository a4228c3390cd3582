/**
 * The operators' command line in a process that runs many commands, because a start takes half a second. It reads a command
 * as a line of JSON. END follows its output on both streams, on standard output with the exit code.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createProgram } from '../../src/cli/create-program.ts';
import { exitCodeOf } from '../../src/cli/exit-code.ts';

const END = '\0';

for await (const line of createInterface(process.stdin)) {
  const { args, environment } = JSON.parse(line);
  process.env = environment;
  process.exitCode = 0;
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
  writeSync(1, `${process.exitCode}${END}`);
  writeSync(2, END);
}
process.exitCode = 0;
