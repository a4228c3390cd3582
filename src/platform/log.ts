/** Writes structured logs to standard error, one JSON line each. Standard output is for people. */
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { errorCode } from './error-code.ts';
import { currentTrace } from './trace/trace-context.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** The most characters that wait while standard error takes none. Further lines are lost. */
const MOST_WAITING = 1024 * 1024;

export function createLog(process: string, level: string): Logger {
  const options = { level, base: { process }, serializers: { err: describeError }, mixin: traceOfLine };
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING });
  // Without a listener, a line that a full disk or a closed terminal refuses ends the process. The next line tries to write this one, too.
  destination.on('error', () => {});
  return pino(options, destination);
}

function traceOfLine(): object {
  const trace = currentTrace();
  return trace === undefined ? {} : { traceId: trace.traceId };
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Describes an error without the objects that drivers attach to it and without the path of the project on this machine. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: error.message,
    code: errorCode(error),
    stack: error.stack?.replaceAll(`file://${PROJECT}`, '').replaceAll(PROJECT, ''),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
