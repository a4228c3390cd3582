/** Runs commands in the process of operator.ts, one after the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface OperatorCommand {
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Operator extends AsyncDisposable {
  run(command: OperatorCommand): Promise<CommandResult>;
}

export function startOperator(): Operator {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./operator.ts', import.meta.url))]);
  const exited = once(child, 'exit');
  const [stdout, stderr] = [answersOf(child.stdout), answersOf(child.stderr)];
  let last: Promise<unknown> = Promise.resolve();
  const runNow = async (command: OperatorCommand): Promise<CommandResult> => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
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
      child.stdin.end();
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
  throw new Error(`the operator ended: ${text}`);
}
