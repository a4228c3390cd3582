/** Refuses paths that do not exist, and methods that a path does not have. */
import type { RequestHandler } from 'express';
import { nearestName, Refusal } from '../../platform/refusal.ts';

const NOTHING = 'There is nothing at this path.';

export const notFound: RequestHandler = () => {
  throw new Refusal('NOT_FOUND', NOTHING);
};

/** Refuses a path with the nearest of `paths`, or with where the description of all paths is. */
export function notFoundAmong(paths: readonly string[], description: string): RequestHandler {
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
