/**
 * Authenticates an operator by the token, then applies the rate limit and the Idempotency-Key (spec D62). Each request for a change with a
 * valid token is logged with its outcome.
 */
import type { Request, RequestHandler, Response } from 'express';
import { clientOf } from '../../core/web/client-of.ts';
import { statusFor } from '../../core/web/error-answers.ts';
import { requireKnownQuery } from '../../core/web/query-text.ts';
import type { AdmitOperator } from '../../features/accounts/admit-operator.ts';
import { rateLimited } from '../../features/accounts/rate-limits.ts';
import type { Turns } from '../../platform/concurrency/turns.ts';
import type { Tarpit } from '../../platform/http/tarpit.ts';
import type { Log } from '../../platform/log.ts';
import { type AnswerOnceOptions, answerOnce } from '../api/answer-once.ts';
import { rethrow, setRateLimit } from '../api/authenticate.ts';
import { declaredRoutes, handlerOf, type RunNeeds } from '../api/operation-routes.ts';
import type { OperatorOperation } from './operator-operation.ts';

export interface TokenAuthenticationOptions {
  readonly admit: AdmitOperator;
  readonly tarpit: Tarpit;
  readonly once: AnswerOnceOptions;
  /** Limits how many requests of tokens run at once. The others wait, so that customers keep most of the connections to Postgres. */
  readonly turns: Turns;
  readonly underWay: Set<Promise<unknown>>;
}

const BEARER = /^Bearer (.*)$/i;
/** All tokens belong to one operator, so a request can be sent again with a new token. */
const OWNER = 'operator';

/** Makes the routes of the operations, which operators call with their tokens. */
export function operatorRoutes<Needs extends RunNeeds>(
  operations: readonly OperatorOperation<Needs>[],
  needs: Needs,
  options: TokenAuthenticationOptions,
): RequestHandler {
  return declaredRoutes(operations, (operation) => {
    const handle = handlerOf(operation, needs, () => OWNER);
    const query = Object.keys(operation.query ?? {});
    const isChange = operation.method !== 'get';
    return async (request, response) => {
      const { operator, state } = await admit(options, request, response);
      const answer = async () => {
        if (state.excess > 0) throw rateLimited(state.resetSeconds, state.limit);
        requireKnownQuery(request, query);
        await options.turns.run(operator.token, () =>
          answerOnce(options.once, { accountId: OWNER, keyId: null }, request, response, (record) =>
            handle(operator, request, response, record),
          ),
        );
      };
      const changeRequest = {
        ...{ token: operator.token, client: operator.address, operationId: operation.id },
        ...{ path: request.path, requestId: response.locals.requestId },
      };
      const work = isChange ? logOutcome(options.once.log, changeRequest, response, answer) : answer();
      options.underWay.add(work);
      await work.finally(() => options.underWay.delete(work));
    };
  });
}

async function admit(
  { admit: admitToken, tarpit }: TokenAuthenticationOptions,
  request: Request,
  response: Response,
) {
  const client = clientOf(request);
  try {
    const { caller, state } = await admitToken(BEARER.exec(request.headers.authorization ?? '')?.[1], client);
    setRateLimit(response, state);
    return { operator: { token: caller.token, address: client }, state };
  } catch (error) {
    return await rethrow(error, response, tarpit);
  }
}

/** The members of the line beside the status. The line has nothing of the query, the body or the answer, because these may have secrets. */
interface ChangeRequest {
  readonly token: string;
  readonly client: string;
  readonly operationId: string;
  readonly path: string;
  readonly requestId: string;
}

/**
 * Does the work, and logs its outcome. Rethrows the error of the work. The audit log of an account is deleted with the account, and plans
 * have no audit log. The line in the log stays.
 */
async function logOutcome(
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
