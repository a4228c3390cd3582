/**
 * The `fetch` by which `openid-client` asks a provider. It uses the client for foreign hosts, so every answer has a
 * deadline and a largest size. The operator has configured the issuer, so the issuer may have a private address.
 * Other hosts that the provider names must have public addresses, or addresses in OUTBOUND_ALLOWED_RANGES.
 */
import type { CustomFetch } from 'openid-client';
import { type AskOutside, OutboundError } from '../../../platform/http/outbound.ts';

/** The error for a provider that is out of reach, or has a fault. */
export class ProviderDown extends Error {
  override readonly name = 'ProviderDown';
}

const TIMEOUT_MS = 5000;
/** The limit of an answer. Metadata and keys of large providers have some 20 KB. */
const MAX_BODY_BYTES = 256 * 1024;
/** Statuses whose answers have no body (Fetch, section 2.2.3). */
const BODILESS = new Set([204, 205, 304]);

export function askProvider(ask: AskOutside, issuer: URL): CustomFetch {
  return async (url, { body, headers }) => {
    const given = body === undefined || body === null ? {} : { body: String(body) };
    const isOurs = new URL(url).origin === issuer.origin;
    const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES };
    const answer = await ask({ kind: 'sign-in', url, headers, ...given, ...limits, isOurs }).catch(
      (cause) => {
        if (cause instanceof OutboundError) throw new ProviderDown(cause.message, { cause });
        throw cause;
      },
    );
    if (!answer.isWhole) throw new ProviderDown(`an answer has more than ${MAX_BODY_BYTES} bytes`);
    if (answer.status >= 500) throw new ProviderDown(`status ${answer.status}`);
    const contentType = answer.headers['content-type'];
    return new Response(BODILESS.has(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      ...(contentType !== undefined && { headers: { 'Content-Type': contentType } }),
    });
  };
}
