/** The command line for operators. */
import { createProgram } from './cli/create-program.ts';
import { exitCodeOf } from './cli/exit-code.ts';
import { hasCode } from './platform/error-code.ts';

// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on('error', (error) => {
  if (!hasCode(error, 'EPIPE')) throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
