#!/usr/bin/env node
/** The command line, `waypost`. */
import { createProgram } from './create-program.ts';
import { reportFailure } from './report-failure.ts';

// A reader that has enough, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, program.opts().json === true);
}
// Standard input may be open, and its producer may never end.
process.exit();
