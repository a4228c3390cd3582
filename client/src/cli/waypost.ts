#!/usr/bin/env node
/** The program `waypost`: runs the command, and ends with its exit code. */
import { createProgram } from './create-program.ts';
import { EXIT } from './exit-codes.ts';
import { complain } from './output.ts';
import { reportFailure } from './report-failure.ts';

// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  complain(`Cannot write the result: ${error.message}. What was asked for may be done.`);
  process.exit(EXIT.refused);
});
// An error of standard error cannot be reported.
process.stderr.on('error', () => {});

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, program.opts().json === true);
}
// Wait for both pipes: `process.exit` would drop the output that a slow reader has not taken yet.
await Promise.all([process.stdout, process.stderr].map(written));
// Standard input may be open, and its producer may never end.
process.exit();

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
