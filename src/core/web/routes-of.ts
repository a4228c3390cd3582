/** Makes the routes of a table of paths. */
import { type RequestHandler, Router } from 'express';
import { methodNotAllowed } from './not-found.ts';

/** The methods of routes, in their order in `Allow`. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The handlers of a path by method. Express also answers HEAD by the handler of GET. */
type Handlers = { readonly [Method in (typeof METHODS)[number]]?: RequestHandler };

/** Returns the routes, in the order of the table. A path answers 405 to each method that its row does not have. */
export function routesOf(paths: Readonly<Record<string, Handlers>>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, handlers] of Object.entries(paths)) {
    const route = router.route(path);
    const methods = METHODS.filter((method) => handlers[method] !== undefined);
    for (const method of methods) route[method](handlers[method]!);
    const allow = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase()));
    route.all(methodNotAllowed(...allow));
  }
  return router;
}
