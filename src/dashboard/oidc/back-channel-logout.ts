/**
 * A provider tells us that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0, sections
 * 2.5 to 2.8).
 */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { endSessionsOfProvider } from '../../accounts/logout-store.ts';
import { rateLimited } from '../../accounts/rate-limits.ts';
import { Refusal } from '../../platform/refusal.ts';
import { clientOf } from '../../web/client-of.ts';
import { answer } from '../../web/envelope.ts';
import { mediaType } from '../../web/media-type.ts';
import { methodNotAllowed } from '../../web/not-found.ts';
import { receiveBody } from '../../web/request-body.ts';
import { createReadLogoutToken } from './logout-token.ts';
import type { OidcOptions } from './oidc-options.ts';

/** Tokens have some 1 KB. */
const BODY_LIMITS = { maxBytes: 16 * 1024, timeoutMs: 10_000 };

/** Every answer has `Cache-Control: no-store`, as all of ours. */
export function backChannelLogoutRoutes(options: OidcOptions): Router {
  const readers = new Map(
    options.providers.map((provider) => [provider.settings.id, createReadLogoutToken(provider)]),
  );
  const { database, limits, complain } = options;
  const router = Router({ caseSensitive: true, strict: true });

  const logOut: RequestHandler = async (request, response) => {
    const client = clientOf(request);
    const blocked = limits.logoutTokens.blockedSeconds(client);
    if (blocked > 0) throw rateLimited(blocked);
    const id = String(request.params.provider);
    const read = readers.get(id);
    const token = await readToken(request, response);
    const logout = await read?.(token).catch((error: unknown) => complain(id, error));
    if (logout === undefined || !(await endSessionsOfProvider(database, logout))) {
      await limits.logoutTokens.count(client);
      throw new Refusal('BAD_REQUEST', 'This is no logout token of the provider for us, or it was used.');
    }
    answer(response, 200, {});
  };
  router.route('/auth/back-channel-logout/:provider').post(logOut).all(methodNotAllowed('POST'));
  return router;
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
