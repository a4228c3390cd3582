/** Accounts at an authority whose bindings are good for one account, and which refuses them afterwards for that account, too. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../../src/platform/secret.ts';
import { testServerKeys, trustTestServers } from '../../support/test-authority.ts';
import { clientOf, newAccountKey } from './issue.ts';

trustTestServers();

const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}');

/** The public keys of the accounts that were made. */
const accounts: string[] = [];
/** Whether the authority wants a binding also with `onlyReturnExisting`. */
let isStrict = false;

function accountFor(jws: { protected: string; payload: string }): { status: number; type?: string } {
  const { onlyReturnExisting, externalAccountBinding } = decoded(jws.payload);
  const { x } = decoded(jws.protected).jwk;
  if (externalAccountBinding === undefined) {
    if (isStrict) return { status: 400, type: 'externalAccountRequired' };
    if (accounts.includes(x)) return { status: 200 };
    return { status: 400, type: onlyReturnExisting ? 'accountDoesNotExist' : 'externalAccountRequired' };
  }
  if (accounts.length > 0) return { status: 403, type: 'unauthorized' };
  accounts.push(x);
  return { status: 201 };
}

const server = createServer(testServerKeys, async (request, response) => {
  response.setHeader('replay-nonce', 'bm9uY2U').setHeader('content-type', 'application/json');
  if (request.url !== '/account') {
    const named = { newNonce: '/nonce', newAccount: '/account', newOrder: '/order' };
    return response.end(request.method === 'HEAD' ? '' : JSON.stringify(named));
  }
  const { status, type } = accountFor(JSON.parse(await text(request)));
  if (type !== undefined) response.setHeader('content-type', 'application/problem+json');
  response.writeHead(status, { location: '/account/1' });
  return response.end(JSON.stringify(type ? { type: `urn:ietf:params:acme:error:${type}` } : {}));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `https://localhost:${(server.address() as AddressInfo).port}`;

beforeEach(() => {
  accounts.length = 0;
  isStrict = false;
});
afterAll(async () => {
  server.close().closeAllConnections();
  await once(server, 'close');
});

function accountOf(accountKey: ReturnType<typeof newAccountKey>): Promise<string> {
  const externalAccount = { keyId: 'kid', hmacKey: new Secret('c2VjcmV0') };
  const client = clientOf({ directoryUrl: `${origin}/directory`, externalAccount }, { accountKey });
  return client.account().finally(() => client[Symbol.dispose]());
}

test('an account is made with its binding, and found again without it', async () => {
  const accountKey = newAccountKey();
  const made = await accountOf(accountKey);
  await expect(accountOf(accountKey)).resolves.toBe(made);
  await expect(accountOf(newAccountKey())).rejects.toMatchObject({ kind: 'refused', type: 'unauthorized' });
  expect(accounts).toHaveLength(1);
});

test('a server that wants a binding also with a question for an account gets it', async () => {
  isStrict = true;
  await expect(accountOf(newAccountKey())).resolves.toBe(`${origin}/account/1`);
});
