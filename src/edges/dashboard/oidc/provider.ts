/**
 * An OpenID provider. Its metadata is fetched at the first sign-in, so a provider that is down
 * stops nothing else. A failure is not kept: the next sign-in fetches again.
 */
import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { isLoopback, type ProviderSettings } from '../../../core/config/oidc-providers.ts';
import { SingleFlight } from '../../../platform/concurrency/single-flight.ts';
import type { AskOutside } from '../../../platform/http/outbound.ts';
import type { Secret } from '../../../platform/secret.ts';
import { steadyNow } from '../../../platform/steady-clock.ts';
import { askProvider, ProviderDown } from './ask-provider.ts';

/** The time for which metadata is used. Endpoints rarely move. */
const FRESH_MS = 3_600_000;

export class Provider {
  readonly settings: ProviderSettings;
  readonly #issuer: URL;
  /** The `fetch` that `openid-client` uses. */
  readonly fetch: ReturnType<typeof askProvider>;
  readonly #flight = new SingleFlight<Configuration>();
  #latest: { readonly configuration: Configuration; readonly freshUntil: number } | undefined;

  constructor(settings: ProviderSettings, ask: AskOutside) {
    this.settings = settings;
    this.#issuer = new URL(settings.issuer);
    this.fetch = askProvider(ask, this.#issuer);
  }

  /**
   * Returns the metadata. If a new fetch fails, or names another issuer, returns the metadata of the last fetch. Throws ProviderDown if
   * there is none.
   */
  async configuration(): Promise<Configuration> {
    const held = this.#latest;
    if (held !== undefined && steadyNow() < held.freshUntil) return held.configuration;
    try {
      return await this.#flight.join('', () => this.#discover());
    } catch (cause) {
      if (held !== undefined) return held.configuration;
      throw cause instanceof ProviderDown ? cause : new ProviderDown('no usable metadata', { cause });
    }
  }

  async #discover(): Promise<Configuration> {
    const { clientId, clientSecret } = this.settings;
    const configuration = await discovery(this.#issuer, clientId, undefined, clientAuth(clientSecret), {
      [customFetch]: this.fetch,
      // The settings have checked that plain http is used on loopback only.
      execute: [
        enableNonRepudiationChecks,
        ...(this.#issuer.protocol === 'http:' && isLoopback(this.#issuer) ? [allowInsecureRequests] : []),
      ],
    });
    // Tokens and metadata spell the issuer in one way. The setting must spell it so, too (OpenID Connect Discovery 1.0, section 4.3).
    if (configuration.serverMetadata().issuer !== this.settings.issuer) {
      throw new ProviderDown('the issuer is written in another way there, as with a slash at its end');
    }
    // This call throws when the metadata has no http(s) address to sign in at.
    buildAuthorizationUrl(configuration, {});
    this.#latest = { configuration, freshUntil: steadyNow() + FRESH_MS };
    return configuration;
  }
}

/**
 * Returns how we authenticate at the provider: not at all without a secret, by `client_secret_post` if the provider supports it, or else by
 * Basic, the default of a provider (OpenID Connect Discovery 1.0, section 3).
 */
function clientAuth(secret: Secret | undefined): ClientAuth {
  if (secret === undefined) return None();
  const [post, basic] = [ClientSecretPost(secret.reveal()), ClientSecretBasic(secret.reveal())];
  return (server, ...rest) => {
    const hasPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    (hasPost ? post : basic)(server, ...rest);
  };
}

export type Providers = readonly Provider[];

export function findProvider(providers: Providers, id: unknown): Provider | undefined {
  return providers.find(({ settings }) => settings.id === id);
}

export function providerOfIssuer(providers: Providers, issuer: string): Provider | undefined {
  return providers.find(({ settings }) => settings.issuer === issuer);
}
