/** Runs commands in one process, one after the other, because a start takes half a second (answer-commands.ts). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from './compile-cache.ts';

export interface OneCommand {
  /** The whole environment of the command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly args: readonly string[];
}

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Commands extends AsyncDisposable {
  run(command: OneCommand): Promise<CommandResult>;
}

/** `program` calls answerCommands. */
export function startCommands(program: URL): Commands {
  const env = { PATH: process.env.PATH, ...compileCache() };
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [stdout, stderr] = [answersOf(child.stdout!), answersOf(child.stderr!)];
  let last: Promise<unknown> = Promise.resolve();
  const runNow = async (command: OneCommand): Promise<CommandResult> => {
    // If the process has ended, its streams say so.
    child.send(command, () => {});
    const [{ value: out }, { value: err }] = await Promise.all([stdout.next(), stderr.next()]);
    const code = /\d+$/.exec(out)![0];
    return { code: Number(code), stdout: out.slice(0, -code.length), stderr: err };
  };
  return {
    run: (command) => {
      const run = last.then(() => runNow(command));
      last = run.catch(() => {});
      return run;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Yields the text before each END. */
async function* answersOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, never> {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) {
    const parts = (text + piece).split('\0');
    text = parts.pop()!;
    yield* parts;
  }
  throw new Error(`the process of the commands ended: ${text}`);
}
