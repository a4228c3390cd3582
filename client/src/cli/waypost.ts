#!/usr/bin/env node
/** The command line, `waypost`. */
import { createProgram } from './create-program.ts';
import { reportFailure } from './report-failure.ts';

// A reader that has enough, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
// There is nobody left to tell.
process.stderr.on('error', () => {});

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, program.opts().json === true);
}
// Before the end, which throws away what a pipe has not taken yet: a slow reader gets all of it.
await Promise.all([process.stdout, process.stderr].map(written));
// Standard input may be open, and its producer may never end.
process.exit();

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
