/** The submission of changed URLs over HTTP (spec D51, spec D52). */
import { Router } from 'express';
import { getOwnDomain } from '../domains/own-domain.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { type ListedHost, listHosts } from '../submission/host-store.ts';
import { keyFileOf } from '../submission/page-host.ts';
import { type VerifyPageHostOptions, verifyPageHost } from '../submission/verify-page-host.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Authenticated } from './authenticate.ts';

export interface IndexNowRoutesOptions extends VerifyPageHostOptions {
  /** Whether the operator has configured an endpoint. */
  readonly isConfigured: boolean;
  readonly maxBodyBytes: number;
}

export function indexNowRoutes(options: IndexNowRoutesOptions, authenticated: Authenticated): Router {
  const { database, isConfigured, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/domains/:id/indexnow')
    .get(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const hosts = await listHosts(database, domain.id);
        answer(response, 200, {
          enabled: domain.isIndexNowEnabled,
          endpointConfigured: isConfigured,
          hosts: hosts.map(describeHost),
        });
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/api/domains/:id/indexnow/verify')
    .post(
      authenticated(async (caller, request, response) => {
        const domain = await getOwnDomain(database, caller.accountId, String(request.params.id));
        const members = await readMembers(request, response, ['host'], maxBodyBytes);
        answer(response, 200, describeHost(await verifyPageHost(options, domain, members.get('host'))));
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

function describeHost(host: ListedHost) {
  const { key, isVerified, problem, queued, sentToday, lastStatus, lastSubmittedAt, pausedUntil } = host;
  return {
    host: host.host,
    key,
    keyFile: keyFileOf(host),
    verified: isVerified,
    problem,
    queued,
    sentToday,
    lastStatus,
    lastSubmittedAt: lastSubmittedAt && isoSeconds(lastSubmittedAt),
    pausedUntil: pausedUntil && isoSeconds(pausedUntil),
  };
}
