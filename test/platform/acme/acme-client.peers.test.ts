import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcmeClient } from '../../../src/platform/acme/acme-client.ts';
import { AcmeError } from '../../../src/platform/acme/acme-error.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { needs } from '../../support/needs.ts';
import { type Pebble, startPebble } from '../../support/pebble.ts';
import { trustTestServers } from '../../support/test-authority.ts';
import {
  authorize,
  type ChallengeServer,
  clientOf,
  issue,
  newAccountKey,
  startChallengeServer,
} from './issue.ts';

trustTestServers();

const ACCOUNT_URL = fileURLToPath(new URL('./print-account-url.ts', import.meta.url));

const failureOf = (call: Promise<unknown>): Promise<AcmeError> =>
  call.then(
    () => expect.unreachable('the call succeeded'),
    (error) => {
      expect(error).toBeInstanceOf(AcmeError);
      return error;
    },
  );

describe('with Pebble', needs('pebble'), () => {
  const scope = new AsyncDisposableStack();
  let web: ChallengeServer;
  let pebble: Pebble;
  let client: AcmeClient;
  let directoryUrl: string;

  beforeAll(async () => {
    web = scope.use(await startChallengeServer());
    const options = { httpPort: web.port, blocked: ['blocked.example.com'], retryAfterSeconds: 0 };
    const environment = { PEBBLE_AUTHZREUSE: '100' };
    pebble = scope.use(await startPebble({ ...options, environment }));
    ({ directoryUrl } = pebble);
    // Without a profile, Pebble chooses one of its own.
    const server = { directoryUrl, profile: 'tlsserver', contact: ['mailto:admin@example.com'] };
    client = scope.use(clientOf(server));
  });
  afterAll(() => scope.disposeAsync());

  test('a certificate is issued, and its chain ends at the root of the authority', async () => {
    const chain = await issue(client, web, 'maps.example.com');
    const intermediate = new X509Certificate(chain.pem.slice(chain.leaf.toString().length));
    const root = new X509Certificate(await pebble.root());
    expect(intermediate.verify(root.publicKey)).toBe(true);
    expect(chain.issuer).toMatch(/^Pebble Intermediate CA/);
  });

  test('a second certificate needs no second challenge', async () => {
    await issue(client, web, 'again.example.com');
    web.answers.clear();
    await issue(client, web, 'again.example.com');
    expect(web.answers.size).toBe(0);
  });

  test('a process trusts the authority that NODE_EXTRA_CA_CERTS names, and no other', async () => {
    const run = async (environment: Record<string, string>) => {
      const env = { ...process.env, DIRECTORY_URL: directoryUrl, ...environment };
      const { stdout } = await promisify(execFile)(process.execPath, [ACCOUNT_URL], { env });
      return stdout;
    };
    await expect(run({ NODE_EXTRA_CA_CERTS: pebble.caFile })).resolves.toMatch(/^https:/);
    await expect(run({ NODE_EXTRA_CA_CERTS: '' })).resolves.toMatch(/^unavailable .*UNABLE_TO_VERIFY/);
  });

  test('another client with the same key has the same account, also when eight ask at once', async () => {
    const accountKey = newAccountKey();
    const accounts = Array.from({ length: 8 }, async () => {
      using one = clientOf({ directoryUrl }, { accountKey });
      return await one.account();
    });
    expect(new Set(await Promise.all(accounts)).size).toBe(1);
  });

  test('an order goes on in another client', async () => {
    const accountKey = newAccountKey();
    using first = clientOf({ directoryUrl }, { accountKey });
    const { url, authorizations } = await first.newOrder('resumed.example.com');
    using second = clientOf({ directoryUrl }, { accountKey });
    await authorize(second, web, authorizations[0]!);
    await expect(second.order(url)).resolves.toMatchObject({
      hostname: 'resumed.example.com',
      status: 'ready',
    });
  });

  test.each([
    ['minute', 60],
    ['shortlived', 160 * 3600],
  ])('the profile %s decides the lifetime', async (profile, seconds) => {
    using profiled = clientOf({ directoryUrl, profile });
    const { notBefore, notAfter } = await issue(profiled, web, `${profile}.example.com`);
    // Authorities count the last second as valid.
    expect((notAfter.getTime() - notBefore.getTime()) / 1000).toBeCloseTo(seconds, -1);
  });

  test('a profile that the server does not have is refused without asking it', async () => {
    using profiled = clientOf({ directoryUrl, profile: 'toString' });
    const error = await failureOf(profiled.newOrder('maps.example.com'));
    expect(error).toMatchObject({ kind: 'refused', type: 'invalidProfile', status: undefined });
  });

  test('renewal information follows what the authority says', async () => {
    const { id, leaf, notBefore, notAfter } = await issue(client, web, 'renewed.example.com');
    const before = await client.renewalInfo(id!);
    expect(before!.start > notBefore && before!.end < notAfter && before!.start < before!.end).toBe(true);
    expect(before!.askAgainMs).toBe(6 * 3_600_000);
    const [start, end] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
    await pebble.setRenewalWindow(leaf.toString(), start, end);
    await expect(client.renewalInfo(id!)).resolves.toMatchObject({ start, end });
  });

  test('renewal information for an unknown certificate is refused', async () => {
    const error = await failureOf(client.renewalInfo('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'));
    expect(error.kind).toBe('refused');
  });

  test('a certificate can be replaced once', async () => {
    const { id } = await issue(client, web, 'replaced.example.com');
    await issue(client, web, 'replaced.example.com', id);
    const error = await failureOf(client.newOrder('replaced.example.com', { replaces: id }));
    expect(error).toMatchObject({ kind: 'refused', type: 'alreadyReplaced', status: 409 });
  });

  test('a hostname that the authority does not want is a rejectedIdentifier', async () => {
    const error = await failureOf(client.newOrder('blocked.example.com'));
    expect(error).toMatchObject({ kind: 'refused', type: 'rejectedIdentifier' });
    expect(error.message).toMatch(/^could not create an order: rejectedIdentifier: .*blocked\.example\.com/);
  });

  test.each([
    ['unauthorized', 'wrong.example.com', async () => {}],
    ['connection', 'away.example.com', () => pebble.dns.a('away.example.com', ['127.0.0.9'])],
    ['connection', 'broken.example.com', () => pebble.dns.serverFailure('broken.example.com', true)],
  ])('a failed challenge says why: %s', async (type, hostname, prepare) => {
    await prepare();
    const { authorizations, url } = await client.newOrder(hostname);
    const { challenge } = await client.authorization(authorizations[0]!);
    await client.respond(challenge!.url);
    const failed = await client.settledAuthorization(authorizations[0]!, { deadlineMs: 120_000 });
    expect(failed).toMatchObject({ status: 'invalid', challenge: { status: 'invalid', error: { type } } });
    expect((await client.order(url)).status).toBe('invalid');
  });

  test('an order that is not ready cannot be finalized', async () => {
    const order = await client.newOrder('early.example.com');
    const error = await failureOf(client.finalize(order, Buffer.of(1)));
    expect(error).toMatchObject({ kind: 'refused', type: 'orderNotReady' });
  });

  test('of a server that refuses half of all nonces, 100 calls succeed', async () => {
    const environment = { PEBBLE_WFE_NONCEREJECT: '50' };
    await using stormy = await startPebble({ httpPort: web.port, environment, retryAfterSeconds: 0 });
    using patient = clientOf({ directoryUrl: stormy.directoryUrl });
    await issue(patient, web, 'stormy.example.com');
    const order = await patient.newOrder('stormy.example.com');
    const orders = await Promise.all(Array.from({ length: 100 }, () => patient.order(order.url)));
    expect(orders).toHaveLength(100);
  });

  describe('that wants external accounts', () => {
    const hmacKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';
    let strict: Pebble;

    beforeAll(async () => {
      strict = scope.use(await startPebble({ externalAccounts: { 'kid-1': hmacKey } }));
    });

    const register = async (keyId?: string, key = hmacKey) => {
      const externalAccount = keyId === undefined ? undefined : { keyId, hmacKey: new Secret(key) };
      using bound = clientOf({ directoryUrl: strict.directoryUrl, externalAccount });
      return await bound.account();
    };

    test('an account with a binding is made', async () => {
      await expect(register('kid-1')).resolves.toMatch(/^https:/);
    });

    test.each([
      ['without a binding', undefined, hmacKey, 'externalAccountRequired'],
      ['with an unknown key id', 'kid-2', hmacKey, 'unauthorized'],
      [
        'with another key',
        'kid-1',
        'b10lLJs8l1GPIzsLP0s6pMt8O0XVGnfTaCeROxQM0BIt2XrJMDHJZBM5NuQmQJQH',
        'unauthorized',
      ],
    ])('an account %s is refused', async (_, keyId, key, type) => {
      const error = await failureOf(register(keyId, key));
      expect(error).toMatchObject({ kind: 'refused', type });
    });
  });
});
