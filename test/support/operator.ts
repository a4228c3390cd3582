/** The operators' command line in a process that runs many commands. */
import { createProgram } from '../../src/cli/create-program.ts';
import { exitCodeOf } from '../../src/cli/exit-code.ts';
import { answerCommands } from './answer-commands.ts';

answerCommands(async (args) => {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
});
