/**
 * Judges the logout tokens of a provider (OpenID Connect Back-Channel Logout 1.0, section 2.6). Any stranger can send such a token, so
 * cheap checks come first, and the keys of the provider are fetched at most once in KEYS_FOR_MS.
 */
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import type { ProviderLogout } from '../../../features/accounts/logout-store.ts';
import { recentResult } from '../../../platform/concurrency/recent-result.ts';
import { isStorable } from '../../../platform/storable-text.ts';
import { ProviderDown } from './ask-provider.ts';
import type { Provider } from './provider.ts';

/** A function that reads a token. It throws if the provider did not make the token for us, or if the token cannot be checked. */
export type ReadLogoutToken = (token: string) => Promise<ProviderLogout>;

const KEYS_FOR_MS = 10_000;
/** An older token ends no session. */
const MAX_AGE_SECONDS = 300;
const TOLERANCE_SECONDS = 60;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** The accepted algorithms, without `none` and HMAC. With HMAC, any program that knows our client secret can sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** The accepted `typ`. Some providers write JWT, or nothing; then the `events` claim marks a logout token. */
const TYPES = ['logout+jwt', 'application/logout+jwt', 'jwt', undefined];

const id = z.string().min(1).max(255).refine(isStorable);
const claimsSchema = z
  .object({
    iss: z.string(),
    iat: z.number(),
    jti: id,
    sid: id.optional(),
    sub: id.optional(),
    events: z.looseObject({ [EVENT]: z.looseObject({}) }),
    nonce: z.undefined('is not allowed').optional(),
  })
  .refine(({ sid, sub }) => sid !== undefined || sub !== undefined);

export function createReadLogoutToken(provider: Provider): ReadLogoutToken {
  const keys = recentResult(() => fetchKeys(provider), { forMs: KEYS_FOR_MS });
  const key: JWTVerifyGetKey = async (header, token) => (await keys())(header, token);
  const { issuer, clientId } = provider.settings;
  const rules = {
    ...{ issuer, audience: clientId, algorithms: ALGORITHMS },
    ...{ maxTokenAge: MAX_AGE_SECONDS, clockTolerance: TOLERANCE_SECONDS },
  };
  return async (token) => {
    const { jti, sid = null, sub = null, iat } = claimsOf(token, issuer);
    await jwtVerify(token, key, rules);
    const expiresAt = new Date((iat + MAX_AGE_SECONDS + 2 * TOLERANCE_SECONDS) * 1000);
    return { issuer, jti, sid, subject: sub, expiresAt };
  };
}

/** Decodes the claims, whose signature is not checked yet. */
function claimsOf(token: string, issuer: string) {
  const { typ } = decodeProtectedHeader(token);
  if (!TYPES.includes(typ?.toLowerCase())) throw new Error('another kind of token');
  const claims = claimsSchema.parse(decodeJwt(token));
  if (claims.iss !== issuer) throw new Error('of another issuer');
  return claims;
}

async function fetchKeys(provider: Provider): Promise<JWTVerifyGetKey> {
  const { jwks_uri } = (await provider.configuration()).serverMetadata();
  if (jwks_uri === undefined) throw new ProviderDown('no address of its keys');
  const answer = await provider.fetch(jwks_uri, {
    method: 'GET',
    headers: {},
    body: null,
    redirect: 'manual',
  });
  if (!answer.ok) throw new ProviderDown(`status ${answer.status} of its keys`);
  return createLocalJWKSet((await answer.json()) as JSONWebKeySet);
}
