/** Makes the routes of operations. A handler calls `run` and returns its result as an answer, or sends its lines. Other methods get 405. */
import type { RequestHandler, Router } from 'express';
import type { Cursors } from '../../core/web/cursors.ts';
import type { Answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { readPage } from '../../core/web/pages.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Place } from '../../features/uploads/find-place.ts';
import type { Authenticated, Permit, SenderHandler } from './authenticate.ts';
import type { DescribedOperation, Lines, Operation, OperationOf } from './operation.ts';
import { requireAccess } from './operation-access.ts';
import type { SendLines } from './send-lines.ts';

/** The dependencies of every handler, whatever its operation. */
export interface RunNeeds {
  readonly cursors: Cursors;
  readonly maxBodyBytes: number;
  readonly sendLines: SendLines;
}

export interface CallNeeds extends RunNeeds {
  readonly uploads: {
    readonly findPlace: (accountId: string, uploadId: string) => Promise<Place | undefined>;
    readonly findSession: (accountId: string, id: string) => Promise<Place | undefined>;
  };
}

export function operationRoutes<Needs extends CallNeeds>(
  operations: readonly Operation<Needs>[],
  needs: Needs,
  authenticated: Authenticated,
): Router {
  return declaredRoutes(operations, (operation) =>
    authenticated(
      handlerOf(operation, needs, ({ accountId }) => accountId),
      {
        queryParameters: Object.keys(operation.query ?? {}),
        permit: permitOf(operation, needs),
        touchesNothing: operation.access?.to === 'nothing',
      },
    ),
  );
}

export function declaredRoutes<Declared extends DescribedOperation>(
  operations: readonly Declared[],
  handle: (operation: Declared) => RequestHandler,
): Router {
  const byPath = Map.groupBy(operations, ({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  const handlersOf = (ofPath: readonly Declared[]) =>
    Object.fromEntries(ofPath.map((operation) => [operation.method, handle(operation)]));
  return routesOf(Object.fromEntries(Array.from(byPath, ([path, ofPath]) => [path, handlersOf(ofPath)])));
}

function permitOf({ access }: Operation<never>, { uploads }: CallNeeds): Permit {
  return ({ accountId }, scope, { params }) =>
    requireAccess(access, scope, params as Readonly<Record<string, string>>, {
      upload: (id) => uploads.findPlace(accountId, id),
      session: (id) => uploads.findSession(accountId, id),
    });
}

/** Makes the handler of an operation. `accountOf` returns the owner of the cursors and of the list readers of a sender. */
export function handlerOf<Needs extends RunNeeds, Sender>(
  operation: OperationOf<Sender, Needs>,
  needs: Needs,
  accountOf: (sender: Sender) => string,
): SenderHandler<Sender> {
  const { answer: success, body } = operation;
  return async (caller, request, response, record) => {
    const accountId = accountOf(caller);
    let recorded: { readonly result: unknown; readonly answer: Answer } | undefined;
    const result = await operation.run(needs, {
      ...{ caller, request, response },
      path: request.params as Readonly<Record<string, string>>,
      members: () =>
        readMembers(
          request,
          response,
          body?.members ?? [],
          needs.maxBodyBytes,
          body?.isLong && needs.maxBodyBytes,
        ),
      async page({ show, ...list }) {
        const { rows, pagination } = await readPage(request, needs.cursors, { ...list, accountId });
        return { rows: rows.map(show), pagination };
      },
      showOnce: (show) => ({
        async record(transaction, made) {
          const shown = show(made);
          recorded = { result: shown, answer: success.envelope(shown) };
          await record(transaction, recorded.answer);
        },
        shown: (made) => recorded?.result ?? show(made),
      }),
    });
    if (!isLines(result)) return result === recorded?.result ? recorded?.answer : success.envelope(result);
    await needs.sendLines(accountId, response, result);
    return undefined;
  };
}

function isLines(result: unknown): result is Lines {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}
