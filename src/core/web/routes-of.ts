/** Makes the routes of a table of paths. */
import { type RequestHandler, Router } from 'express';
import { methodNotAllowed } from './not-found.ts';

/** The handlers of a path by method. Express also answers HEAD by the handler of GET. */
type Methods = { readonly [Method in 'get' | 'post' | 'put' | 'patch' | 'delete']?: RequestHandler };

/** Returns the routes. A path answers 405 to each method that its row does not have. */
export function routesOf(paths: Readonly<Record<string, Methods>>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, methods] of Object.entries(paths)) {
    const route = router.route(path);
    for (const [method, handle] of Object.entries(methods)) route[method as keyof Methods](handle);
    const allow = Object.keys(methods).flatMap((method) =>
      method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase(),
    );
    route.all(methodNotAllowed(...allow));
  }
  return router;
}
