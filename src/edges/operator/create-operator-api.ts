/**
 * Creates the server of the operator's API. Each route, except for the description, checks the token (401) and the rate limit (429) before
 * its work.
 */
import type { Server } from 'node:http';
import type { Router } from 'express';
import { createWebServer, type WebServerOptions } from '../../core/web/create-web-server.ts';
import { sendFixed } from '../../core/web/fixed-content.ts';
import { notFoundAmong } from '../../core/web/not-found.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import { buildDocument } from '../api/openapi/build-document.ts';
import { operatorRoutes, type TokenAuthenticationOptions } from './admit-token.ts';
import {
  ABOUT,
  DESCRIBED,
  DESCRIPTION_PATH,
  OPERATOR_OPERATIONS,
  type OperatorNeeds,
} from './operator-operations.ts';

export interface OperatorApiOptions {
  readonly routes: OperatorNeeds;
  readonly web: WebServerOptions;
  readonly authentication: TokenAuthenticationOptions;
}

/** Creates a server that does not listen yet. */
export function createOperatorApi({ routes, web, authentication }: OperatorApiOptions): Server {
  return createWebServer(web, [
    operatorRoutes(OPERATOR_OPERATIONS, routes, authentication),
    descriptionRoute(),
    notFoundAmong(OPERATOR_OPERATIONS, DESCRIPTION_PATH),
  ]);
}

function descriptionRoute(): Router {
  const body = JSON.stringify(buildDocument(DESCRIBED, ABOUT));
  return routesOf({
    [DESCRIPTION_PATH]: { get: sendFixed({ contentType: 'application/json; charset=utf-8', body }) },
  });
}
