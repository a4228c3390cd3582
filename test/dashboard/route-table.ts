/** Lists the routes of the dashboard, as express has them. No route is called, so none needs its dependencies. */
import type { Router } from 'express';
import { operationRoutes } from '../../src/edges/api/operation-routes.ts';
import { CUSTOMER_OPERATIONS } from '../../src/edges/api/operations.ts';
import { dashboardRoutes } from '../../src/edges/dashboard/dashboard-routes.ts';
import { readDescription } from '../support/api-description.ts';

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
  ...routesOf([operationRoutes(CUSTOMER_OPERATIONS, nothing as never, () => () => {})], '/dashboard'),
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

export const shown = ({ method, path }: TableRoute) => `${method} ${path}`;

/** The routes that need no session. */
export const PUBLIC = [
  'GET /dashboard/api/sign-in',
  'GET /auth/mail/stop',
  'POST /auth/mail/stop',
  'GET /auth/mail/confirm',
  'POST /auth/mail/confirm',
  'POST /auth/link',
  'POST /auth/sign-out',
  'POST /auth/invitation',
];

/** Pages and the way to a provider and back are not. */
export const isOurs = (route: TableRoute) =>
  route.path.startsWith('/dashboard/api/') || PUBLIC.includes(shown(route));

export const NEED_SESSION = ROUTES.filter((route) => isOurs(route) && !PUBLIC.includes(shown(route)));

/** Bodies of the dashboard's own routes. The description of the customer's API has the others. */
export const BODIES: Readonly<Record<string, object>> = {
  'PATCH /dashboard/api/members/:userId': { role: 'member' },
};

/** A body that the route takes, if it takes one. */
export function bodyOf(route: TableRoute): object | undefined {
  if (!['POST', 'PATCH', 'PUT'].includes(route.method)) return undefined;
  if (!route.isCustomers) return BODIES[shown(route)] ?? {};
  const path = route.path.replace('/dashboard', '').replaceAll(/:(\w+)/g, '{$1}');
  const operation = readDescription().paths[path]![route.method.toLowerCase()]! as Operation;
  return operation.requestBody?.content['application/json']?.example;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example: object }>> };
}

/** Its parameters, each with one of the values: all combinations. */
export function pathsWith({ path }: TableRoute, values: readonly string[]): string[] {
  const [parameter] = /:\w+/.exec(path) ?? [];
  if (parameter === undefined) return [path];
  return values.flatMap((value) =>
    pathsWith({ path: path.replace(parameter, encodeURIComponent(value)) } as TableRoute, values),
  );
}
