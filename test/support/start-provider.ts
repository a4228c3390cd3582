/** A real OpenID provider on loopback. It signs the test's person in, without a form. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

interface ProviderPerson {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface TestProvider extends AsyncDisposable {
  /** For example http://127.0.0.1:1234. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The person of the next sign-ins. */
  person: ProviderPerson;
  /** If this function returns true, it has answered instead of the provider. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The paths of all requests, in order. */
  readonly paths: string[];
  /** Makes the dashboard at `origin` a client. `id`: the id of this provider in the dashboard's settings. */
  serve(origin: string, id: string): void;
  /** Signs claims with the provider's key. */
  sign(claims: JWTPayload, header?: Readonly<Record<string, string>>): Promise<string>;
  /** Closes the port until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
}

const KEY_ID = 'test';

export async function startProvider(): Promise<TestProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' };
  let oidc: Provider | undefined;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', provider.issuer);
    provider.paths.push(pathname);
    if (provider.instead(request, response)) return;
    if (oidc === undefined) response.writeHead(503).end();
    else if (pathname.startsWith('/interaction/')) void logIn(oidc, provider, request, response);
    else oidc.callback()(request, response);
  };
  let server = createServer(answer);
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'waypost',
    clientSecret: 'the secret of the test client',
    person: { sub: 'ada', name: 'Ada Lovelace', email: 'ada@example.net', email_verified: true },
    instead: () => false,
    paths: [],
    serve(origin, id) {
      oidc = new Provider(provider.issuer, configurationFor(provider, key, origin, id));
    },
    sign: (claims, header) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KEY_ID, ...header }).sign(privateKey),
    down: () => close(server),
    async up() {
      server = createServer(answer);
      await listen(server, port);
    },
    [Symbol.asyncDispose]: () => close(server),
  };
  return provider;
}

function configurationFor(provider: TestProvider, key: object, origin: string, id: string): Configuration {
  const people = new Map<string, ProviderPerson>();
  return {
    clients: [
      {
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${origin}/auth/callback/${id}`],
        post_logout_redirect_uris: [`${origin}/dashboard/sign-in`],
        backchannel_logout_uri: `${origin}/auth/back-channel-logout/${id}`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['for tests'] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 600,
      Interaction: 600,
      Session: 3600,
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      // The package's own page would fetch a font from another host.
      rpInitiatedLogout: {
        logoutSource(ctx, form) {
          const button = '<button form="op.logoutForm" name="logout" value="yes">Leave</button>';
          ctx.body = `<!doctype html><title>Leave</title>${form}${button}`;
        },
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    // The package's own fetch refuses loopback addresses.
    fetch(url, options = {}) {
      const { dispatcher: _dispatcher, ...others } = options as RequestInit & { dispatcher?: unknown };
      return fetch(url, others);
    },
    async findAccount(_ctx, sub) {
      const person = sub === provider.person.sub ? provider.person : (people.get(sub) ?? { sub });
      people.set(sub, person);
      return { accountId: sub, claims: async () => ({ ...person }) };
    },
    async loadExistingGrant({ oidc: { client, session, provider: issuer } }) {
      const grant = new issuer.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

async function logIn(
  oidc: Provider,
  { person }: TestProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await oidc.interactionDetails(request, response);
    await oidc.interactionFinished(request, response, { login: { accountId: person.sub } });
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
