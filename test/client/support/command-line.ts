/** The client's command line in a process that runs many commands. */
import { globalAgent } from 'node:http';
import { createProgram } from '../../../client/src/cli/create-program.ts';
import { reportFailure } from '../../../client/src/cli/report-failure.ts';
import { answerCommands } from '../../support/answer-commands.ts';

answerCommands(async (args) => {
  const program = createProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportFailure(error, program.opts().json === true);
  }
  // The end of a process takes its handlers and its connections with it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  globalAgent.destroy();
});
