/** Authorities that are down, slow, strict or at their limit, and the choice of the next one. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../src/features/domains/domain.ts';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';
import { freePort } from '../../tools/free-port.ts';
import {
  type AcmeCall,
  type AcmeFault,
  type FrontAnswer,
  problem,
  RATE_LIMITED,
  UNAVAILABLE,
  WRONG_CONTENT_TYPE,
} from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createIssuanceWorld } from './issuance-world.ts';

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, front, secondFront, outcomes } = world;
  const both = [front.directoryUrl, secondFront.directoryUrl];
  beforeEach(async () => {
    front.reset();
    secondFront.reset();
    outcomes.length = 0;
    await database.query('UPDATE acme_accounts SET paused_until = NULL');
  });
  const directoryOf = async ({ id }: Domain) =>
    (await database.query('SELECT directory FROM certificates WHERE domain_id = $1', [id])).rows[0].directory;
  const issueFromBoth = (domain: Domain, timeoutMs = SOON.timeout) =>
    world.issue(domain, world.optionsWith({ directories: both, timeoutMs }));

  test.each<[string, AcmeCall | 'any', AcmeFault]>([
    ['answers 503', 'newOrder', UNAVAILABLE],
    ['answers 503 to everything', 'any', UNAVAILABLE],
    ['hangs', 'newOrder', 'hang'],
    ['hangs from the beginning', 'directory', 'hang'],
    ['cuts its answers', 'finalize', 'cut'],
    ['never ends an answer', 'order', 'endless'],
    ['answers another type', 'authorization', WRONG_CONTENT_TYPE],
    ['answers 429', 'newOrder', RATE_LIMITED],
    ['does not know our account any more', 'newOrder', problem(403, 'unauthorized')],
  ])('if the first authority %s, the second one issues', async (_, call, fault) => {
    const domain = await world.addDueDomain();
    front.break(call, fault, { times: 1000 });
    // The second authority has as much time as the one that hangs.
    await issueFromBoth(domain, fault === 'hang' ? 10_000 : undefined);
    expect(outcomes).toEqual(['issued']);
    expect(await directoryOf(domain)).toBe(secondFront.directoryUrl);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active', hasChallenge: false });
  });

  test('an authority that is down is left alone by all hostnames for a while', async () => {
    const [one, two] = [await world.addDueDomain(), await world.addDueDomain()];
    front.break('newOrder', UNAVAILABLE, { times: 1000 });
    await issueFromBoth(one);
    front.reset();
    await issueFromBoth(two);
    expect(front.calls).toEqual([]);
    expect(outcomes).toEqual(['issued', 'issued']);
  });

  test('an order without a decision puts off its hostname only', async () => {
    const [one, two] = [await world.addDueDomain(), await world.addDueDomain()];
    const wait = (answer: FrontAnswer) => ({
      ...answer,
      headers: { ...answer.headers, 'retry-after': '86400' },
      body: JSON.stringify({ ...JSON.parse(answer.body), status: 'pending' }),
    });
    front.break('authorization', { change: wait }, { times: 1000 });
    const options = world.optionsWith({ directories: [front.directoryUrl] });
    await world.issue(one, options);
    const { lastError, delayMs } = await world.stateOf(one);
    expect(lastError).toMatch(/has not decided/);
    expect(delayMs).toBeLessThanOrEqual(600_000);
    front.reset();
    await world.issue(two, options);
    expect(outcomes).toEqual(['unavailable', 'issued']);
  });

  test('an authority that hangs holds up one question for a renewal time, and no order', async () => {
    const options = world.optionsWith({ directories: [front.directoryUrl], timeoutMs: 2000 });
    const [one, two, three] = [
      await world.addActiveDomain(),
      await world.addActiveDomain(),
      await world.addDueDomain(),
    ];
    front.reset();
    front.break('renewalInfo', 'hang', { times: 1000 });
    for (const { id } of [one, two])
      await database.query('UPDATE certificates SET ari_check_at = now() WHERE domain_id = $1', [id]);
    await world.issue(one, options);
    await world.issue(two, options);
    expect(front.count('renewalInfo')).toBe(1);
    outcomes.length = 0;
    await world.issue(three, world.optionsWith({ directories: [front.directoryUrl] }));
    expect(outcomes).toEqual(['issued']);
  });

  test('while the authority may still look, the challenge is there, and the order goes on', async () => {
    const domain = await world.addDueDomain();
    front.break('challenge', 'lost');
    await world.issue(domain);
    expect(await world.stateOf(domain)).toMatchObject({ hasChallenge: true });
    await database.query('UPDATE acme_accounts SET paused_until = NULL');
    await world.passDelay(domain);
    await world.issue(domain);
    expect(outcomes).toEqual(['unavailable', 'issued']);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active', hasChallenge: false });
    expect(front.count('newOrder')).toBe(1);
  });

  test('a failed authorization goes to no other authority', async () => {
    const domain = await world.addDueDomain();
    front.break('authorization', {
      change: (answer) => ({
        ...answer,
        body: answer.body.replaceAll('"status": "pending"', '"status": "invalid"'),
      }),
    });
    await issueFromBoth(domain);
    expect(outcomes).toEqual(['failed']);
    expect(secondFront.calls).toEqual([]);
    const { state, hasChallenge, lastError } = await world.stateOf(domain);
    expect({ state, hasChallenge }).toEqual({ state: 'verified/provisioning', hasChallenge: false });
    expect(lastError).toMatch(new RegExp(`could not verify ${domain.hostname}`));
  });

  test.each([
    ['authorization', 'serverInternal', /has not decided/],
    ['authorization', 'rateLimited', /issues no more certificates for now: not you/],
    ['order', 'serverInternal', /has not decided/],
    ['order', 'rateLimited', /issues no more certificates for now: not you/],
  ] as const)(
    'an invalid %s for a fault or limit of the authority itself (%s) is no failure of the domain, and the next one issues',
    async (call, type, message) => {
      const error = { type: `urn:ietf:params:acme:error:${type}`, detail: 'not you' };
      const end = (answer: FrontAnswer) => {
        const { challenges, ...body } = JSON.parse(answer.body);
        const ended = challenges?.map((challenge: object) => ({ ...challenge, status: 'invalid', error }));
        const invalid = { ...body, status: 'invalid', ...(ended ? { challenges: ended } : { error }) };
        return { ...answer, body: JSON.stringify(invalid) };
      };
      const [one, two] = [await world.addDueDomain(), await world.addDueDomain()];
      front.break(call, { change: end }, { times: 2 });
      await world.issue(one, world.optionsWith({ directories: [front.directoryUrl] }));
      expect(await world.stateOf(one)).toMatchObject({
        ...{ state: 'verified/provisioning', hasChallenge: false },
        lastError: expect.stringMatching(message),
      });
      await issueFromBoth(two);
      expect(outcomes).toEqual(['unavailable', 'issued']);
      expect(await directoryOf(two)).toBe(secondFront.directoryUrl);
    },
  );

  test('if CAA records exclude the first authority, the second one issues, and if they exclude both, none does', async () => {
    // Pebble does not say its names in CAA records.
    const named = (name: string) => ({
      change: ({ body, ...answer }: FrontAnswer) => {
        const { meta, ...directory } = JSON.parse(body);
        return {
          ...answer,
          body: JSON.stringify({ ...directory, meta: { ...meta, caaIdentities: [name] } }),
        };
      },
    });
    const issueNamed = (domain: Domain) => {
      front.break('directory', named('first.example.net'));
      secondFront.break('directory', named('second.example.net'));
      return issueFromBoth(domain);
    };
    const [one, two] = [await world.addDueDomain(), await world.addDueDomain()];
    const { caa } = world.pebble.dns;
    await caa('example.com', [{ tag: 'issue', value: 'second.example.net' }]);
    await issueNamed(one);
    expect(await directoryOf(one)).toBe(secondFront.directoryUrl);
    await caa('example.com');
    await caa('example.com', [{ tag: 'issue', value: 'digicert.com' }]);
    await issueNamed(two);
    await caa('example.com');
    expect(outcomes).toEqual(['issued', 'refused']);
    expect((await world.stateOf(two)).failure).toMatch(/add `0 issue "first\.example\.net"`\.$/);
    expect([front.count('newOrder'), secondFront.count('newOrder')]).toEqual([0, 1]);
  });

  test.each([
    ['places no order', 'newOrder', 'rejectedIdentifier'],
    ['finds CAA records against it at the end', 'finalize', 'caa'],
  ] as const)('if the first authority %s for a hostname, the second one issues', async (_, call, type) => {
    const [domain, refused] = [await world.addDueDomain(), await world.addDueDomain()];
    front.break(call, problem(403, type), { times: 2 });
    await issueFromBoth(domain);
    expect(await directoryOf(domain)).toBe(secondFront.directoryUrl);
    secondFront.break(call, problem(403, type));
    await issueFromBoth(refused);
    expect(outcomes).toEqual(['issued', 'refused']);
    const { state, failure } = await world.stateOf(refused);
    expect(state).toBe('failed/failed');
    expect(failure).toContain(`:${front.port} refuses the certificate: front says ${type}`);
  });

  test('if CAA records forbid the first authority by a rule that we do not know, the second one issues', async () => {
    const domain = await world.addDueDomain();
    const error = { type: 'urn:ietf:params:acme:error:caa', detail: 'another account' };
    const forbid = (answer: FrontAnswer) => {
      const { challenges, ...body } = JSON.parse(answer.body);
      const ended = challenges.map((challenge: object) => ({ ...challenge, status: 'invalid', error }));
      return { ...answer, body: JSON.stringify({ ...body, status: 'invalid', challenges: ended }) };
    };
    front.break('authorization', { change: forbid });
    await issueFromBoth(domain);
    expect(outcomes).toEqual(['issued']);
    expect(await directoryOf(domain)).toBe(secondFront.directoryUrl);
  });

  test('429 with Retry-After is no failure, and puts off this hostname only', async () => {
    const [limited, other] = [await world.addDueDomain(), await world.addDueDomain()];
    front.break('newOrder', RATE_LIMITED);
    await world.issue(limited);
    const state = await world.stateOf(limited);
    expect(state).toMatchObject({
      ...{ state: 'verified/provisioning', failure: null, hasChallenge: false },
      lastError: expect.stringMatching(/issues no more certificates for now: front says rateLimited/),
    });
    expect(state.delayMs).toBeGreaterThan(3_500_000);
    expect(state.delayMs).toBeLessThanOrEqual(3_600_000);
    const { rows } = await database.query('SELECT failures FROM certificates WHERE domain_id = $1', [
      limited.id,
    ]);
    expect(rows).toEqual([{ failures: 0 }]);
    await world.issue(other);
    expect(outcomes).toEqual(['unavailable', 'issued']);
    await world.passDelay(limited);
    await world.issue(limited);
    expect(await world.stateOf(limited)).toMatchObject({ state: 'active/active', lastError: null });
  });

  test('an authority that is down is no failure of the domain, however long it lasts', async () => {
    const domain = await world.addDueDomain();
    front.break('newOrder', UNAVAILABLE, { times: 1000 });
    for (let n = 0; n < 10; n++) {
      await world.issue(domain);
      await database.query('UPDATE acme_accounts SET paused_until = NULL');
      await world.passDelay(domain);
      await world.passTime(domain, 86_400_000);
    }
    expect(await world.stateOf(domain)).toMatchObject({
      ...{ state: 'verified/provisioning', failure: null, delayMs: 0 },
      lastError: expect.stringMatching(/^localhost:\d+ does not work at the moment\.$/),
    });
    front.reset();
    await world.issue(domain);
    expect((await world.stateOf(domain)).state).toBe('active/active');
  });

  test('without tokens nobody orders, and nothing fails', async () => {
    const domain = await world.addDueDomain();
    await database.query('UPDATE acme_accounts SET order_tokens = 0, tokens_at = now()');
    await world.issue(domain);
    expect(front.count('newOrder')).toBe(0);
    expect(outcomes).toEqual(['unavailable']);
    const { state, delayMs } = await world.stateOf(domain);
    expect(state).toBe('verified/provisioning');
    expect(delayMs).toBeGreaterThan(240_000);
    await database.query('UPDATE acme_accounts SET order_tokens = 250');
  });

  test('an order that ended goes on where it was, and one that cannot is placed anew', async () => {
    const resumed = await world.addDueDomain();
    front.break('finalize', 'lost');
    await world.issue(resumed);
    expect(outcomes.splice(0)).toEqual(['unavailable']);
    await database.query('UPDATE acme_accounts SET paused_until = NULL');
    await world.passDelay(resumed);
    await world.issue(resumed);
    expect(outcomes.splice(0)).toEqual(['issued']);
    expect(front.count('newOrder')).toBe(1);

    // The authority has forgotten the order, or the key that sealed its private key is gone.
    for (const change of ["order_url = order_url || 'x'", `order_key = '{"keyId":"gone","bytes":"AAAA"}'`]) {
      const domain = await world.addDueDomain();
      front.reset();
      front.break('finalize', 'lost');
      await world.issue(domain);
      await database.query(`UPDATE certificates SET ${change} WHERE domain_id = $1`, [domain.id]);
      await database.query('UPDATE acme_accounts SET paused_until = NULL');
      await world.passDelay(domain);
      await world.issue(domain);
      expect(outcomes.splice(0)).toEqual(['unavailable', 'issued']);
      expect(front.count('newOrder')).toBe(2);
    }
  });

  test('an order that is still called ready after its finalization goes on', async () => {
    const domain = await world.addDueDomain();
    let stale = 2;
    const callReady = (answer: FrontAnswer) =>
      front.count('finalize') === 0 || stale-- <= 0
        ? answer
        : { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), status: 'ready' }) };
    front.break('order', { change: callReady }, { times: 1000 });
    await world.issue(domain);
    expect(outcomes).toEqual(['issued']);
    expect(front.count('finalize')).toBe(1);
  });

  test('a chain that clients refuse is not used, and the next attempt orders another one', async () => {
    const [domain, other] = [await world.addDueDomain(), await world.addActiveDomain()];
    outcomes.length = 0;
    const { stored } = await world.stateOf(other);
    front.break('certificate', { change: (answer) => ({ ...answer, body: stored!.chain }) });
    await world.issue(domain);
    const state = await world.stateOf(domain);
    expect(state).toMatchObject({ state: 'verified/provisioning', stored: undefined });
    expect(state.lastError).toMatch(/cannot be used: the certificate is not for/);
    expect(state.delayMs).toBeGreaterThan(3_000_000);
    await world.passDelay(domain);
    await world.issue(domain);
    expect(outcomes).toEqual(['unavailable', 'issued']);
    expect(front.count('newOrder')).toBe(2);
  });

  test('without an authority nothing is lost', async () => {
    const domain = await world.addDueDomain();
    const options = world.optionsWith();
    await world.issue(domain, { ...options, authorities: undefined });
    const state = await world.stateOf(domain);
    expect(state.lastError).toMatch(/^This service has no certificate authority for/);
    expect(state.delayMs).toBeGreaterThan(3_000_000);
    await world.passDelay(domain);
    await world.issue(domain);
    expect(outcomes).toEqual(['issued']);
    // Only the renewal window is due. The certificate stays valid.
    await database.query('UPDATE certificates SET ari_check_at = now() WHERE domain_id = $1', [domain.id]);
    await world.issue(domain, { ...options, authorities: undefined });
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active', lastError: null });
    expect((await world.stateOf(domain)).delayMs).toBeGreaterThan(3_600_000);
  });

  test('processes with other keys cannot use the account, and say so to nobody but operators', async () => {
    const domain = await world.addDueDomain();
    const keys = new KeyRing(newKeyRingText());
    await world.issue(domain, world.optionsWith({ keys }));
    const { state, lastError } = await world.stateOf(domain);
    expect({ state, lastError }).toEqual({
      state: 'verified/provisioning',
      lastError: 'Something went wrong while the certificate was issued. It will be tried again.',
    });
  });
});

describe('with a Pebble that a firewall keeps from our port 80', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld({ httpPort: await freePort() });

  test('no domain fails, as all addresses are ours', async () => {
    const domain = await world.addDueDomain();
    const httpPort = Number(world.jobsSettings.CHALLENGE_PORT);
    const { dnsServer } = world.pebble;
    await world.issue(domain, world.optionsWith({ pebble: { dnsServer, httpPort } }));
    expect(world.outcomes).toEqual(['unavailable']);
    const { lastError, delayMs, hasChallenge } = await world.stateOf(domain);
    expect(lastError).toMatch(/could not verify .* by hosting at 127\.0\.0\.1: .*refused/);
    expect(delayMs).toBeGreaterThan(3_000_000);
    expect(hasChallenge).toBe(false);
  });
});

describe('with a Pebble that refuses half of all nonces', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld({ environment: { PEBBLE_WFE_NONCEREJECT: '50' } });

  test('domains become active', async () => {
    for (let n = 0; n < 5; n++) await world.addActiveDomain();
  });
});
