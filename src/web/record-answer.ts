/**
 * Runs a route whose success is recorded before it is sent, so that a client that loses it can have it later.
 */
import type { Response } from 'express';
import type { Log } from '../platform/log.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { type Answer, sendAnswer, successAnswer, takeAnswer } from './envelope.ts';

/**
 * Records what the route is going to answer, as the last statement of the transaction that makes it true. The
 * body must have been read by then. Does nothing for a request whose answer is not kept. Throws Refusal
 * CONFLICT when another request has taken over.
 */
export type RecordAnswer = (transaction: Transaction, status: number, data: unknown) => Promise<void>;

/** A route that may record its answer. */
export type RecordingRoute = (record: RecordAnswer) => Promise<unknown>;

export interface RecordedRouteOptions {
  readonly database: Queryable;
  readonly log: Log;
  /** Throws Refusal CONFLICT when another request has taken over. */
  readonly record: (queryable: Queryable, answer: Answer) => Promise<void>;
}

/** Throws what the route throws. Then nothing is sent. */
export async function answerRecorded(
  { database, log, record }: RecordedRouteOptions,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  let recorded: string | undefined;
  let success: Answer | undefined;
  takeAnswer(response, (answer) => {
    success = answer;
  });
  await route(async (transaction, status, data) => {
    const answer = successAnswer(status, data);
    await record(transaction, answer);
    recorded = answer.text;
  });
  if (success === undefined) throw new Error('a route whose answer is kept gave none');
  if (success.text !== recorded) {
    // It is done, so its client gets the answer. Without the record, a request that is sent again is done
    // again.
    await record(database, success).catch((err) => log.warn({ err }, 'an answer could not be recorded'));
  }
  sendAnswer(response, success);
}
