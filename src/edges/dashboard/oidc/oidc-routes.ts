/**
 * Sign-in with an OpenID provider: the browser goes to the provider, and comes back. Only the linking of an identity needs a session.
 */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { clientOf } from '../../../core/web/client-of.ts';
import { methodNotAllowed } from '../../../core/web/not-found.ts';
import { redirect } from '../../../core/web/redirect.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { findSessionOf, finishSignIn, getAttempt, getInvitationToken } from './finish-sign-in.ts';
import type { OidcOptions } from './oidc-options.ts';
import { findProvider } from './provider.ts';
import { returnPath, SIGN_IN, signInPath, withProblem } from './return-path.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';
import { SignInFailure } from './sign-in-problem.ts';
import { startSignIn } from './start-sign-in.ts';

export function oidcRoutes(options: OidcOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const paths = { '/auth/start': start(options), '/auth/callback/:provider': callback(options) };
  for (const [path, handle] of Object.entries(paths)) {
    // Express answers HEAD by the route of GET, but a HEAD must neither begin nor end a sign-in.
    router
      .route(path)
      .head(methodNotAllowed('GET'))
      .get(requireNavigation, handle)
      .all(methodNotAllowed('GET'));
  }
  return router;
}

const requireNavigation: RequestHandler = (request, _response, next) => {
  if (!isNavigation(request)) throw new Refusal('FORBIDDEN', 'Open this address as a page of its own.');
  next();
};

/** Handles the start of a sign-in, `?provider=<id>&return_to=<path>[&link=1|&invited=<id>]`. */
function start(options: OidcOptions): RequestHandler {
  const { origin, providers, attemptCookie, limits } = options;
  return async (request, response) => {
    const { provider: id, return_to, link, invited } = request.query;
    const returnTo = returnPath(return_to, origin);
    const page = link === '1' ? returnTo : signInPath(returnTo);
    const work = async () => {
      if ((await limits.starts.count(clientOf(request))) > 0) throw new SignInFailure('too-many');
      const provider = findProvider(providers, id);
      if (provider === undefined) throw new SignInFailure('failed');
      const sessionId = link === '1' ? await sessionForLink(options, request) : null;
      // Without this check, a page of another site can open an invitation of its own here, and bring the person into a stranger's account.
      const isInvited = typeof invited === 'string' && isOwnNavigation(request, origin);
      const invitationId = isInvited ? invited : null;
      if (invitationId !== null) getInvitationToken(options, request, invitationId);
      const purpose = { returnTo, sessionId, invitationId };
      const { url, attempt } = await startSignIn(options, provider, purpose);
      attemptCookie.set(response, attempt.text);
      redirect(response, url.href, 303);
    };
    await work().catch(tellProblem(options, response, page, id));
  };
}

async function sessionForLink(options: OidcOptions, request: Request): Promise<string> {
  if (!isOwnNavigation(request, options.origin)) throw new SignInFailure('failed');
  const owner = await findSessionOf(options, request);
  if (owner === undefined) throw new SignInFailure('signed-out');
  return owner.session.id;
}

function callback(options: OidcOptions): RequestHandler {
  const { attemptCookie, limits } = options;
  return async (request, response) => {
    const client = clientOf(request);
    let attempt: SignInAttempt | undefined;
    const work = async () => {
      if (limits.failures.blockedSeconds(client) > 0) throw new SignInFailure('too-many');
      attempt = getAttempt(options, request);
      attemptCookie.clear(response);
      await finishSignIn(options, attempt, request, response);
      redirect(response, attempt.returnTo, 303);
    };
    await work().catch(async (error) => {
      const page = pageOf(attempt);
      const isFailure = error instanceof SignInFailure && error.problem !== 'too-many';
      const isTooMuch = isFailure && (await limits.failures.count(client)) > 0;
      const shown = isTooMuch ? new SignInFailure('too-many', { cause: error }) : error;
      tellProblem(options, response, page, attempt?.providerId)(shown);
    });
  };
}

/** Returns the path of the page that shows how the attempt failed. */
function pageOf(attempt: SignInAttempt | undefined): string {
  if (attempt === undefined) return SIGN_IN;
  return attempt.sessionId === null ? signInPath(attempt.returnTo) : attempt.returnTo;
}

/** Returns a function that logs a SignInFailure and shows it to the browser. It throws any other error, which is our own fault. */
function tellProblem({ complain, providers }: OidcOptions, response: Response, page: string, id: unknown) {
  return (error: unknown): void => {
    if (!(error instanceof SignInFailure)) throw error;
    complain(findProvider(providers, id)?.settings.id, error);
    const { problem } = error;
    redirect(response, withProblem(problem === 'signed-out' ? SIGN_IN : page, problem), 303);
  };
}

/**
 * Returns whether our own page opened the address. `Sec-Fetch-Site` says so. Browsers omit this header over plain http, except on loopback.
 * Without this header, `Referer` counts, which our pages send and other sites cannot forge. Another site must not begin to link an
 * identity: the site may have signed the browser in at the provider as the attacker. Another site must not accept an invitation either,
 * because the invitation may be the attacker's.
 */
function isOwnNavigation(request: Request, origin: string): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(request.get('referer') ?? '')?.origin === origin;
}

/**
 * Returns whether the browser opens the address as a page. Without this check, another site can load the address as an image or in a frame,
 * and use up the limit of its visitor. Over plain http, browsers omit `Sec-Fetch-Dest`, and the request passes.
 */
function isNavigation(request: Request): boolean {
  const { 'sec-fetch-dest': destination = 'document' } = request.headers;
  return destination === 'document';
}
