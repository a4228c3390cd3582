/** Issues a certificate as the service does, with a small web server that answers challenges. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AcmeClient } from '../../../src/platform/acme/acme-client.ts';
import type { AcmeServer, Authorization } from '../../../src/platform/acme/acme-resources.ts';
import {
  type CertificateChain,
  checkChain,
  readChain,
} from '../../../src/platform/x509/certificate-chain.ts';
import { newPrivateKey, readPrivateKey } from '../../../src/platform/x509/certificate-key.ts';
import { createSigningRequest } from '../../../src/platform/x509/signing-request.ts';
import { SOON } from '../../support/soon.ts';

const DEADLINE = { deadlineMs: SOON.timeout };

export const newAccountKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

export function clientOf(
  server: AcmeServer,
  { accountKey = newAccountKey(), timeoutMs = SOON.timeout } = {},
) {
  return new AcmeClient({ server, accountKey, userAgent: 'waypost-test', timeoutMs });
}

export interface ChallengeServer extends AsyncDisposable {
  readonly port: number;
  /** Token → the whole answer. */
  readonly answers: Map<string, string>;
}

export async function startChallengeServer(): Promise<ChallengeServer> {
  const answers = new Map<string, string>();
  const server = createServer(({ url = '' }, response) => {
    const answer = answers.get(url.slice(url.lastIndexOf('/') + 1));
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Goes on until the authorization is decided. */
export async function authorize(
  client: AcmeClient,
  web: ChallengeServer,
  authorizationUrl: string,
): Promise<Authorization> {
  const authorization = await client.authorization(authorizationUrl);
  const { status, challenge } = authorization;
  if (status !== 'pending' || challenge === undefined) return authorization;
  web.answers.set(challenge.token, await client.keyAuthorization(challenge.token));
  await client.respond(challenge.url);
  return client.settledAuthorization(authorizationUrl, DEADLINE);
}

export async function issue(
  client: AcmeClient,
  web: ChallengeServer,
  hostname: string,
  replaces?: string,
): Promise<CertificateChain> {
  const order = await client.newOrder(hostname, { replaces });
  for (const url of order.authorizations) await authorize(client, web, url);
  const key = newPrivateKey();
  await client.finalize(order, await createSigningRequest(hostname, key));
  const chain = await readChain(await client.certificate(await client.issuedOrder(order.url, DEADLINE)));
  checkChain(chain, { hostname, privateKey: readPrivateKey(key), now: new Date() });
  return chain;
}
