/**
 * Guards the plain port of an API that has HTTPS of its own. Reads without a key are redirected to HTTPS, and all other requests are
 * refused. Behind trusted proxies, `X-Forwarded-Proto` says how the client came.
 */
import type { RequestHandler } from 'express';
import { redirect } from '../../core/web/redirect.ts';
import { Refusal } from '../../platform/refusal.ts';

/** A year, in seconds (RFC 6797). The header is for our own hostname only, because the names below it may belong to others. */
const HSTS = 'max-age=31536000';

/** Redirects or refuses plain HTTP. `origin`: the origin of the API on HTTPS. */
export function httpsOnly(origin: string): RequestHandler {
  return (request, response, next) => {
    if (request.secure) {
      response.set('Strict-Transport-Security', HSTS);
      return next();
    }
    const hasKey = 'x-api-key' in request.headers || 'authorization' in request.headers;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // A target in absolute form, which proxies send, must not become part of our hostname.
    const path = request.originalUrl.startsWith('/') ? request.originalUrl : '/';
    if (isRead && !hasKey) return redirect(response, `${origin}${path}`, 308);
    const shown = hasKey ? ' The network has seen this key: replace it.' : '';
    throw new Refusal('FORBIDDEN', `This API is reached over HTTPS only, at ${origin}.${shown}`);
  };
}
