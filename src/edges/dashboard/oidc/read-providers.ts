/** Reads the OpenID providers from the settings OIDC_ISSUER and OIDC_PROVIDERS. */
import type { Config } from '../../../core/config/config.ts';
import type { ProviderSettings } from '../../../core/config/oidc-providers.ts';
import { ConfigError } from '../../../platform/process/config-error.ts';

/** The id of the provider of OIDC_ISSUER. The redirect URI contains it. */
const SINGLE_ID = 'default';

type ProviderConfig = Pick<
  Config,
  'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_NAME' | 'OIDC_SCOPES' | 'OIDC_PROVIDERS'
>;

/** Returns the providers in the order of their buttons. Throws ConfigError with all problems. */
export function readProviders(config: ProviderConfig): readonly ProviderSettings[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_PROVIDERS } = config;
  const single = singleOf(config);
  const providers = [...(single ? [single] : []), ...OIDC_PROVIDERS];
  const problems: string[] = [];
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID === undefined) {
    problems.push('OIDC_CLIENT_ID is not set. OIDC_ISSUER needs it.');
  }
  if (OIDC_ISSUER === undefined && (OIDC_CLIENT_ID ?? OIDC_CLIENT_SECRET) !== undefined) {
    problems.push('OIDC_ISSUER is not set. OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong to it.');
  }
  if (hasTwice(providers.map(({ id }) => id))) {
    problems.push(`OIDC_PROVIDERS: each id may be there once, and ${SINGLE_ID} is that of OIDC_ISSUER.`);
  }
  // With two providers of one issuer, it is not clear to which of them a logout token or an identity belongs.
  if (hasTwice(providers.map(({ issuer }) => new URL(issuer).href))) {
    problems.push('OIDC_PROVIDERS: each issuer may be there once, and OIDC_ISSUER is one of them.');
  }
  if (problems.length > 0)
    throw new ConfigError(['The configuration is not valid:', ...problems].join('\n  '));
  return providers;
}

function singleOf(config: ProviderConfig): ProviderSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    id: SINGLE_ID,
    name: config.OIDC_NAME ?? new URL(issuer).hostname,
    issuer,
    clientId,
    clientSecret: config.OIDC_CLIENT_SECRET,
    scopes: config.OIDC_SCOPES,
  };
}

function hasTwice(values: readonly string[]): boolean {
  return new Set(values).size < values.length;
}
