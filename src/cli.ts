/** The command line for operators. */
import { createProgram } from './cli/create-program.ts';
import { hasCode } from './platform/error-code.ts';
import { reportFailure } from './platform/process/run-process.ts';

// A reader that has enough, such as `head`, closes the pipe.
process.stdout.on('error', (error) => {
  if (!hasCode(error, 'EPIPE')) throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
