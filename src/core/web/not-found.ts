/** Refuses paths that do not exist, and methods that a path does not have. */
import type { RequestHandler } from 'express';
import { nearestName, Refusal } from '../../platform/refusal.ts';

const NOTHING = 'There is nothing at this path.';

export const notFound: RequestHandler = () => {
  throw new Refusal('NOT_FOUND', NOTHING);
};

/** Refuses a path with the nearest path of an operation, or with where the description of all paths is. */
export function notFoundAmong(
  operations: readonly { readonly path: string }[],
  description: string,
): RequestHandler {
  const paths = [...new Set(operations.map(({ path }) => path))];
  return ({ path }) => {
    const nearest = nearestName(path, paths);
    const cure = nearest === undefined ? `${description} lists all paths.` : `Did you mean ${nearest}?`;
    throw new Refusal('NOT_FOUND', `${NOTHING} ${cure}`);
  };
}

export function methodNotAllowed(...allow: string[]): RequestHandler {
  return (request) => {
    const message = `${request.method} is not allowed here: use ${allow.join(' or ')}.`;
    throw new Refusal('METHOD_NOT_ALLOWED', message, { allow });
  };
}
