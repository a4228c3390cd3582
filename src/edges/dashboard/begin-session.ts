/** Begins a session of a browser: `features/accounts/begin-session.ts` records it, and the browser gets the cookie. */
import type { Request, Response } from 'express';
import { clientOf } from '../../core/web/client-of.ts';
import type { BegunSession, Opening } from '../../features/accounts/begin-session.ts';
import { newToken } from '../../features/accounts/secret-token.ts';
import type { Log } from '../../platform/log.ts';
import type { Cookie } from './cookie.ts';
import type { IdTokenSeal } from './id-token-seal.ts';

/** How the person was recognized. After a one-time link, the members of the provider are null. `idToken` is in plain text. */
export type Recognized = Pick<Opening, 'issuer' | 'subject' | 'sid' | 'authenticatedAt'> & {
  readonly idToken: string | undefined;
};

export type BeginSession = ReturnType<typeof createBeginSession>;

const MAX_USER_AGENT_LENGTH = 256;

/** Creates a function that begins a session. The function throws the errors of `begin`. */
export function createBeginSession(cookie: Cookie, seal: IdTokenSeal, log: Log) {
  return async (
    request: Request,
    response: Response,
    { idToken, ...recognized }: Recognized,
    begin: (opening: Opening) => Promise<BegunSession>,
  ): Promise<void> => {
    const token = newToken();
    const begun = await begin({
      ...{ ...recognized, token, formerToken: cookie.read(request), address: clientOf(request) },
      sealIdToken: (id) => (idToken === undefined ? null : seal.seal(id, idToken)),
      userAgent: request.get('user-agent')?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    });
    // The cookie is set after the commit: if the commit fails, the browser keeps its former session.
    cookie.set(response, token);
    log.info({ ...begun, issuer: recognized.issuer ?? undefined }, 'session started');
  };
}
