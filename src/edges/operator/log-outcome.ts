/**
 * Logs which operator asked for a change by the operator's API, and the outcome. The audit log of an account is deleted with the account,
 * and plans have no audit log. The line in the log stays.
 */
import type { Response } from 'express';
import { statusFor } from '../../core/web/error-answers.ts';
import type { Log } from '../../platform/log.ts';

/** The members of the line beside the status. The line has nothing of the query, the body or the answer, because these may have secrets. */
export interface ChangeRequest {
  readonly token: string;
  readonly client: string;
  readonly operationId: string;
  readonly path: string;
  readonly requestId: string;
}

/** Does the work, and logs its outcome. Rethrows the error of the work. */
export async function logOutcome(
  log: Log,
  request: ChangeRequest,
  response: Response,
  work: () => Promise<void>,
): Promise<void> {
  const say = (status: number | null) => log.info({ ...request, status }, 'operator request');
  try {
    await work();
  } catch (error) {
    say(statusFor(error));
    throw error;
  }
  say(response.statusCode);
}
