/**
 * Ends sessions when a provider says that a person signed out there (OpenID Connect Back-Channel Logout 1.0, sections
 * 2.5 to 2.8).
 */
import type { Request, RequestHandler, Response, Router } from 'express';
import { clientOf } from '../../../core/web/client-of.ts';
import { answer } from '../../../core/web/envelope.ts';
import { mediaType } from '../../../core/web/media-type.ts';
import { receiveBody } from '../../../core/web/request-body.ts';
import { routesOf } from '../../../core/web/routes-of.ts';
import { rateLimited } from '../../../features/accounts/rate-limits.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { createReadLogoutToken } from './logout-token.ts';
import type { OidcOptions } from './oidc-options.ts';

/** The limits of a request's body. A logout token has some 1 KB. */
const BODY_LIMITS = { maxBytes: 16 * 1024, timeoutMs: 10_000 };

/** Returns the routes. The answers need `Cache-Control: no-store`, which all answers of the server have. */
export function backChannelLogoutRoutes(options: OidcOptions): Router {
  const readers = new Map(
    options.providers.map((provider) => [provider.settings.id, createReadLogoutToken(provider)]),
  );
  const { accounts, limits, complain } = options;

  const logOut: RequestHandler = async (request, response) => {
    const client = clientOf(request);
    const blocked = limits.logoutTokens.blockedSeconds(client);
    if (blocked > 0) throw rateLimited(blocked);
    const id = String(request.params.provider);
    const read = readers.get(id);
    const token = await readToken(request, response);
    const logout = await read?.(token).catch((error: unknown) => complain(id, error));
    if (logout === undefined || !(await accounts.sessions.endOfProvider(logout))) {
      await limits.logoutTokens.count(client);
      throw new Refusal('BAD_REQUEST', 'This is no logout token of the provider for us, or it was used.');
    }
    answer(response, 200, {});
  };
  return routesOf({ '/auth/back-channel-logout/:provider': { post: logOut } });
}

async function readToken(request: Request, response: Response): Promise<string> {
  if (mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw new Refusal('BAD_REQUEST', 'Content-Type must be application/x-www-form-urlencoded.');
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of receiveBody(request, response, BODY_LIMITS)) chunks.push(chunk);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const [token, ...others] = form.getAll('logout_token');
  if (token === undefined || others.length > 0) {
    throw new Refusal('BAD_REQUEST', 'The body must have one logout_token.');
  }
  return token;
}
