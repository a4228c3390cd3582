import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AcmeClient } from '../../../src/platform/acme/acme-client.ts';
import { AcmeError } from '../../../src/platform/acme/acme-error.ts';
import type { Order } from '../../../src/platform/acme/acme-resources.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { newPrivateKey } from '../../../src/platform/x509/certificate-key.ts';
import { createSigningRequest } from '../../../src/platform/x509/signing-request.ts';
import {
  type AcmeCall,
  type AcmeFault,
  type AcmeFront,
  ALREADY_REPLACED,
  nameHost,
  problem,
  RATE_LIMITED,
  redirectTo,
  startAcmeFront,
  UNAVAILABLE,
  WRONG_CONTENT_TYPE,
} from '../../support/acme-front.ts';
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

/** Every call to the server, and the kind of its requests. Directory, nonce and account are asked by all of them. */
const CALLS: readonly { kind: AcmeCall; call: (client: AcmeClient, there: There) => Promise<unknown> }[] = [
  { kind: 'directory', call: (client) => client.account() },
  { kind: 'newNonce', call: (client) => client.account() },
  { kind: 'newAccount', call: (client) => client.account() },
  { kind: 'newOrder', call: (client) => client.newOrder('maps.example.com') },
  { kind: 'order', call: (client, { order }) => client.order(order.url) },
  { kind: 'authorization', call: (client, { order }) => client.authorization(order.authorizations[0]!) },
  { kind: 'challenge', call: (client, { challengeUrl }) => client.respond(challengeUrl) },
  { kind: 'finalize', call: (client, { order, request }) => client.finalize(order, request) },
  { kind: 'certificate', call: (client, { valid }) => client.certificate(valid) },
  { kind: 'renewalInfo', call: (client, { id }) => client.renewalInfo(id) },
];

interface There {
  readonly order: Order;
  readonly challengeUrl: string;
  readonly request: Buffer;
  readonly valid: Order;
  readonly id: string;
}

/** Prepares the state that the calls need. The challenge of the order is not answered yet. */
async function prepare(client: AcmeClient, web: ChallengeServer): Promise<There> {
  const chain = await issue(client, web, 'there.example.com');
  const valid = await client.newOrder('valid.example.com');
  await authorize(client, web, valid.authorizations[0]!);
  const request = await createSigningRequest('valid.example.com', newPrivateKey());
  await client.finalize(valid, request);
  const order = await client.newOrder('waiting.example.com');
  return {
    order,
    challengeUrl: (await client.authorization(order.authorizations[0]!)).challenge!.url,
    request,
    valid: await client.issuedOrder(valid.url, { deadlineMs: 120_000 }),
    id: chain.id!,
  };
}

describe('with Pebble behind a front', needs('pebble'), () => {
  const scope = new AsyncDisposableStack();
  const accountKey = newAccountKey();
  let web: ChallengeServer;
  let pebble: Pebble;
  let front: AcmeFront;
  let directoryUrl: string;
  let there: There;

  beforeAll(async () => {
    web = scope.use(await startChallengeServer());
    pebble = scope.use(await startPebble({ httpPort: web.port, retryAfterSeconds: 0 }));
    front = scope.use(await startAcmeFront(pebble.port));
    ({ directoryUrl } = front);
    using client = clientOf({ directoryUrl }, { accountKey });
    there = await prepare(client, web);
  });
  beforeEach(() => front.reset());
  afterAll(() => scope.disposeAsync());

  /** Returns the failure of a call by a fresh client whose requests of this kind break. */
  async function failureWith(
    { kind, call }: (typeof CALLS)[number],
    fault: AcmeFault,
    times = Number.POSITIVE_INFINITY,
    timeoutMs = 120_000,
  ): Promise<AcmeError> {
    using client = clientOf({ directoryUrl }, { accountKey, timeoutMs });
    front.break(kind, fault, { times });
    const failure = await call(client, there).then(
      () => expect.unreachable('the call succeeded'),
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(AcmeError);
    return failure as AcmeError;
  }

  test('an issuance asks for the directory and the account once, and for one nonce', async () => {
    using client = clientOf({ directoryUrl });
    await issue(client, web, 'counted.example.com');
    for (const kind of [
      'directory',
      'newNonce',
      'newAccount',
      'newOrder',
      'challenge',
      'finalize',
    ] as const) {
      expect(front.count(kind), kind).toBe(1);
    }
  });

  describe.each(CALLS)('$kind', (one) => {
    test('that is limited is not asked again, and the pause is known', async () => {
      const error = await failureWith(one, RATE_LIMITED);
      expect(error).toMatchObject({ kind: 'rateLimited', status: 429, retryAfterMs: 3_600_000 });
      expect(front.count(one.kind)).toBe(1);
    });

    test.each<[string, AcmeFault]>([
      ['is down', UNAVAILABLE],
      ['has an error inside', problem(500, 'serverInternal')],
      ['cuts the connection before its answer', 'lost'],
      ['redirects', redirectTo('https://localhost:1/')],
      ['sends an answer without end', 'endless'],
    ])('that %s is unavailable, and is not asked again', async (_, fault) => {
      const error = await failureWith(one, fault);
      expect(error.kind).toBe('unavailable');
      expect(front.count(one.kind)).toBe(1);
    });

    test('that hangs is unavailable after the time limit', async () => {
      const error = await failureWith(one, 'hang', 1, 500);
      expect(error).toMatchObject({ kind: 'unavailable', status: undefined });
      expect(error.message).toMatch(/no answer in time$/);
    });

    test('that is refused says so', async () => {
      const error = await failureWith(one, problem(403, 'unauthorized'));
      // An answer to HEAD has no body to say more.
      if (one.kind === 'newNonce') return expect(error).toMatchObject({ kind: 'refused', status: 403 });
      expect(error).toMatchObject({
        kind: 'refused',
        type: 'unauthorized',
        detail: 'front says unauthorized',
      });
    });
  });

  describe.each(CALLS.filter(({ kind }) => !['newNonce', 'challenge'].includes(kind)))('$kind', (one) => {
    test('cut in the middle of its answer is unavailable', async () => {
      expect((await failureWith(one, 'cut')).kind).toBe('unavailable');
    });
  });

  const WITH_TYPE = CALLS.filter(({ kind }) => !['newNonce', 'newAccount', 'challenge'].includes(kind));
  test.each(WITH_TYPE)('$kind with another content type is unavailable', async (one) => {
    // With success, also for an order that cannot be finalized twice.
    const error = await failureWith(one, {
      change: (answer) => ({ ...WRONG_CONTENT_TYPE.change(answer), status: 200 }),
    });
    expect(error).toMatchObject({ kind: 'unavailable' });
    expect(error.message).toMatch(/by its content type$/);
  });

  test.each(['directory', 'newAccount', 'newOrder', 'order', 'authorization'] as const)(
    'a server that names another host is not followed: %s',
    async (kind) => {
      await using stranger = await startAcmeFront(pebble.port);
      const one = CALLS.find((call) => call.kind === kind)!;
      const error = await failureWith(one, nameHost(`localhost:${stranger.port}`));
      expect(error).toMatchObject({
        kind: 'unavailable',
        detail: 'the server names an address that is not its own',
      });
      expect(stranger.calls).toEqual([]);
    },
  );

  test('an address of another host is not asked, whoever names it', async () => {
    using client = clientOf({ directoryUrl }, { accountKey });
    const elsewhere = there.order.url.replace(/localhost/, '127.0.0.1');
    await expect(client.order(elsewhere)).rejects.toThrow('not its own');
    await expect(client.order(there.order.url.replace('https:', 'http:'))).rejects.toThrow('not its own');
    expect(front.count('order')).toBe(0);
  });

  test('a few bad nonces cost as many repetitions', async () => {
    using client = clientOf({ directoryUrl }, { accountKey });
    front.break('newOrder', problem(400, 'badNonce'), { times: 3 });
    await expect(client.newOrder('maps.example.com')).resolves.toMatchObject({ status: 'pending' });
    expect(front.count('newOrder')).toBe(4);
  });

  test('a repetition uses the nonce of the error', async () => {
    using client = clientOf({ directoryUrl }, { accountKey });
    await client.account();
    const nonces = front.count('newNonce');
    front.break('newOrder', {
      change: (answer) => ({
        ...problem(400, 'badNonce', { 'replay-nonce': answer.headers['replay-nonce']! }).answer,
      }),
    });
    await client.newOrder('maps.example.com');
    expect(front.count('newNonce')).toBe(nonces);
  });

  test('a server that refuses every nonce is unavailable, after a bounded number of requests', async () => {
    const error = await failureWith(CALLS[3]!, problem(400, 'badNonce'));
    expect(error).toMatchObject({ kind: 'unavailable', type: 'badNonce' });
    expect(front.count('newOrder')).toBe(16);
  });

  test('types are told apart', async () => {
    const newOrder = CALLS.find(({ kind }) => kind === 'newOrder')!;
    await expect(failureWith(newOrder, ALREADY_REPLACED, 1)).resolves.toMatchObject({
      kind: 'refused',
      type: 'alreadyReplaced',
      status: 409,
    });
    await expect(failureWith(newOrder, problem(403, 'caa'), 1)).resolves.toMatchObject({ type: 'caa' });
  });

  test('an account that the server has forgotten is made again at the next call', async () => {
    using client = clientOf({ directoryUrl });
    await client.account();
    front.break('newOrder', problem(400, 'accountDoesNotExist'));
    await expect(client.newOrder('maps.example.com')).rejects.toMatchObject({ type: 'accountDoesNotExist' });
    await expect(client.newOrder('maps.example.com')).resolves.toMatchObject({ status: 'pending' });
    expect(front.count('newAccount')).toBe(2);
  });

  test('a directory that failed is read again', async () => {
    using client = clientOf({ directoryUrl });
    front.break('directory', UNAVAILABLE);
    await expect(client.account()).rejects.toThrow('could not read the directory');
    await expect(client.account()).resolves.toMatch(/^https:/);
  });

  test('without renewal information, none is asked for and no order says what it replaces', async () => {
    using client = clientOf({ directoryUrl }, { accountKey });
    front.break('directory', {
      change: (answer) => ({ ...answer, body: answer.body.replace('"renewalInfo"', '"unknown"') }),
    });
    await expect(client.renewalInfo(there.id)).resolves.toBeUndefined();
    await expect(client.newOrder('maps.example.com', { replaces: 'nonsense' })).resolves.toBeDefined();
  });

  test('an order that stays undecided ends the wait at its deadline', async () => {
    using client = clientOf({ directoryUrl }, { accountKey });
    const { url } = await client.newOrder('undecided.example.com');
    const failure = client.settledOrder(url, { deadlineMs: 150 });
    await expect(failure).rejects.toMatchObject({ kind: 'unavailable', name: 'AcmeError' });
  });

  test('a wait ends with the reason of its signal', async () => {
    using client = clientOf({ directoryUrl }, { accountKey });
    const stop = new AbortController();
    const { url } = await client.newOrder('undecided.example.com');
    const wait = client.settledOrder(url, { deadlineMs: 120_000, signal: stop.signal });
    stop.abort(new Error('the lease is lost'));
    await expect(wait).rejects.toThrow('the lease is lost');
  });

  test('no error shows a key', async () => {
    const hmacKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';
    const externalAccount = { keyId: 'kid-1', hmacKey: new Secret(hmacKey) };
    const { d = '' } = accountKey.export({ format: 'jwk' });
    expect(d).not.toBe('');
    for (const fault of [
      RATE_LIMITED,
      UNAVAILABLE,
      'lost',
      'cut',
      redirectTo('https://localhost:1/'),
    ] as const) {
      using client = clientOf({ directoryUrl, externalAccount }, { accountKey });
      front.break('newAccount', fault);
      const error: unknown = await client.account().catch((failure: unknown) => failure);
      const shown = [
        inspect(error, { depth: 20, showHidden: true }),
        inspect(client, { depth: 20, showHidden: true }),
      ];
      for (const text of shown) {
        expect(text).not.toContain(d);
        expect(text).not.toContain(hmacKey);
      }
      front.reset();
    }
  });
});
