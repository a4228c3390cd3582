/**
 * The settings of OpenID providers: the rules of an issuer and of scopes, and the list of several providers (docs/operating.md, "Sign-in").
 */
import { z } from 'zod';
import { Secret } from '../../platform/secret.ts';

export interface ProviderSettings {
  /** The redirect URI contains this id. */
  readonly id: string;
  /** People see this name, as in "Sign in with Acme". */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret?: Secret | undefined;
  readonly scopes: string;
}

export const DEFAULT_SCOPES = 'openid email profile';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const PROVIDER_ID = /^[a-z0-9-]{1,32}$/;
/** Issuers of Microsoft Entra that stand for every tenant. Their tokens name the issuer of one tenant. */
const MANY_TENANTS = /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)\//;

const text = z.string().trim().min(1).max(1000);

export const scopes = text.refine(
  (value) => value.split(' ').includes('openid'),
  'must have the scope openid, as in "openid email profile"',
);

export const issuer = text
  .refine(isIssuer, 'must be an https address without query and fragment; http only on this machine')
  .refine((value) => !MANY_TENANTS.test(value), 'must name one tenant of Microsoft Entra');

const providers = z
  .array(
    z.strictObject({
      id: z.string().regex(PROVIDER_ID, 'must be at most 32 of a-z, 0-9 and -'),
      name: text,
      issuer,
      clientId: text,
      clientSecret: text.transform((value) => new Secret(value)).optional(),
      scopes: scopes.default(DEFAULT_SCOPES),
    }),
  )
  .max(20);

/** Reads the list of providers. Messages never repeat a value: it may be a secret. */
export function readProviderList(
  given: string,
  { issues }: z.core.$RefinementCtx,
): readonly ProviderSettings[] {
  const refuse = (message: string) => {
    issues.push({ code: 'custom', message, input: '[secret]' });
    return z.NEVER;
  };
  let json: unknown;
  try {
    json = JSON.parse(given);
  } catch {
    return refuse('must be JSON: a list of providers');
  }
  const parsed = providers.safeParse(json);
  if (parsed.success) return parsed.data;
  return refuse(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

/** Whether plain http to this address stays on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return false;
  }
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}
