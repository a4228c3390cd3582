/** Refuses paths that do not exist, and methods that a path does not have. */
import type { RequestHandler } from 'express';
import { Refusal } from '../../platform/refusal.ts';

export const notFound: RequestHandler = () => {
  throw new Refusal('NOT_FOUND', 'There is nothing at this path.');
};

export function methodNotAllowed(...allow: string[]): RequestHandler {
  return (request) => {
    const message = `${request.method} is not allowed here: use ${allow.join(' or ')}.`;
    throw new Refusal('METHOD_NOT_ALLOWED', message, { allow });
  };
}
