/**
 * The other side of start-commands.ts: runs each command that the parent sends. END follows its output on both streams, on standard
 * output with the exit code.
 */
import type { OneCommand } from './start-commands.ts';

const END = '\0';

/** `run` ends without an error, and sets `process.exitCode` if the command fails. It leaves nothing to the next command. */
export function answerCommands(run: (args: readonly string[]) => Promise<void>): void {
  process.on('message', async ({ args, environment }: OneCommand) => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, environment);
    process.exitCode = 0;
    await run(args);
    process.stdout.write(`${process.exitCode}${END}`);
    process.stderr.write(END);
  });
  process.once('disconnect', () => process.exit(0));
}
