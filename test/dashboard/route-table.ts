/** The routes of the dashboard, as express knows them. Nothing is called, so nothing is needed. */
import type { Router } from 'express';
import { customerRoutes } from '../../src/api/create-api.ts';
import { dashboardRoutes } from '../../src/dashboard/dashboard-routes.ts';

export interface TableRoute {
  readonly method: string;
  /** With its parameters, as in /dashboard/api/domains/:id. */
  readonly path: string;
  readonly isCustomers: boolean;
}

/** Stands for all options. */
export const nothing: object = new Proxy(() => nothing, { get: () => nothing, apply: () => nothing });

export const ROUTES: readonly TableRoute[] = [
  ...routesOf(
    dashboardRoutes(nothing as never, () => () => {}),
    '',
  ),
  ...routesOf(
    customerRoutes(nothing as never, () => () => {}),
    '/dashboard',
  ),
];

function routesOf(routers: readonly Router[], prefix: string): TableRoute[] {
  return routers.flatMap(({ stack }) =>
    stack.flatMap(({ route }) => {
      const methods = new Set(route?.stack.map(({ method }) => method?.toUpperCase()));
      return [...methods].flatMap((method) =>
        method === undefined ? [] : [{ method, path: prefix + route!.path, isCustomers: prefix !== '' }],
      );
    }),
  );
}

/** Its parameters, each with one of the values: all combinations. */
export function pathsWith({ path }: TableRoute, values: readonly string[]): string[] {
  const [parameter] = /:\w+/.exec(path) ?? [];
  if (parameter === undefined) return [path];
  return values.flatMap((value) =>
    pathsWith({ path: path.replace(parameter, encodeURIComponent(value)) } as TableRoute, values),
  );
}
