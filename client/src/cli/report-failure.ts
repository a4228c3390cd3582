/** Says why a command failed and what to do, and returns the exit code. */
import { CommanderError } from 'commander';
import type { Violation } from '../answers.ts';
import { WaypostError } from '../waypost-error.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { complain, Output } from './output.ts';
import { shownViolations } from './shown-violations.ts';

export function reportFailure(error: unknown, isJson: boolean): number {
  // Commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  new Output({ json: isJson }).printJson({ error: describe(error) });
  complain(error instanceof Error ? error.message : String(error));
  if (error instanceof WaypostError) for (const line of advice(error)) complain(line);
  return exitCodeOf(error);
}

function describe(error: unknown) {
  if (!(error instanceof WaypostError))
    return { code: 'FAILED', message: String((error as Error)?.message ?? error) };
  const { code, status, message, details, requestId } = error;
  return { code, status, message, details, requestId };
}

function* advice(error: WaypostError): Generator<string> {
  const { code, details, requestId, status } = error;
  yield* violations(details);
  // The URLs that a delta with `onMissing: 'fail'` did not find.
  if (Array.isArray(details.samples)) for (const url of details.samples) yield `  ${url}`;
  if (code === 'UNAUTHORIZED') yield 'Check the API key: waypost login, or WAYPOST_API_KEY.';
  if (isElsewhere(error))
    yield 'Check the address of the API, which ends before /api: waypost login, WAYPOST_URL or --url.';
  if (error.isHeld) {
    // With the generation, a list that is published meanwhile stays.
    const only = typeof details.generation === 'number' ? ` --if-generation ${details.generation}` : '';
    yield `Nothing is published. To publish it as it is: waypost uploads publish ${details.uploadId} --force${only}`;
  }
  if (!error.isHeld && typeof details.rejectsUrl === 'string')
    yield `All of them: waypost uploads rejects ${details.uploadId}`;
  if ((status ?? 0) >= 500 && requestId !== undefined) yield `The request was ${requestId}.`;
}

/** Whether another server, or another path of the server, may have answered. */
function isElsewhere({ code, message, isTemporary }: WaypostError): boolean {
  return code === 'NOT_FOUND'
    ? message.startsWith('There is nothing at')
    : code === 'BAD_ANSWER' && !isTemporary;
}

function* violations({ errors, errorCount }: Readonly<Record<string, unknown>>): Generator<string> {
  if (!Array.isArray(errors)) return;
  const listed: Violation[] = errors;
  for (const line of shownViolations(listed, Number(errorCount ?? listed.length))) yield `  ${line}`;
}
