/**
 * Runs a route whose success is recorded before it is sent, so that a client that loses the answer can fetch it again.
 */
import type { Response } from 'express';
import type { Log } from '../../platform/log.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { type Answer, sendAnswer } from './envelope.ts';

/**
 * Records the route's answer, as the last statement of the transaction that makes the change. The route must have
 * read the body before. Does nothing for a request whose answer is not kept. Throws Refusal CONFLICT when another
 * request has taken over.
 */
export type RecordAnswer<Given = Answer> = (transaction: Transaction, answer: Given) => Promise<void>;

/** A route that returns its answer, and may record it before. Undefined: the route has sent its answer. */
export type RecordingRoute = (record: RecordAnswer) => Promise<Answer | undefined>;

export interface RecordedRouteOptions {
  readonly log: Log;
  /** Without a transaction, the answer is recorded alone. Throws Refusal CONFLICT when another request has taken over. */
  readonly record: (answer: Answer, transaction?: Transaction) => Promise<void>;
}

/** Runs the route and sends its success. If the route throws an error, this function throws the same error and sends nothing. */
export async function answerRecorded(
  { log, record }: RecordedRouteOptions,
  response: Response,
  route: RecordingRoute,
): Promise<void> {
  let recorded: Answer | undefined;
  const answer = await route(async (transaction, given) => {
    await record(given, transaction);
    recorded = given;
  });
  if (answer === undefined) throw new Error('a route whose answer is kept gave none');
  if (answer !== recorded) {
    // The change is done, so the client gets its answer even if recording fails. Without the record, a repeated request is executed again.
    await record(answer).catch((err) => log.warn({ err }, 'an answer could not be recorded'));
  }
  sendAnswer(response, answer);
}

/** Answers a request as `answerRecorded` does, but keeps no answer. */
export async function answerUnrecorded(response: Response, route: RecordingRoute): Promise<void> {
  const answer = await route(async () => {});
  if (answer !== undefined) sendAnswer(response, answer);
}
