/** A domain that fails without a certificate: the failure, its message, and the recovery. */
import { beforeEach, describe, expect, test } from 'vitest';
import { proofNameOf, proofOf } from '../../src/features/domains/dns-facts.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { findDomain } from '../../src/features/domains/domain-store.ts';
import { verifyUnchecked } from '../../src/features/domains/verify-domain.ts';
import { type FrontAnswer, problem } from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { createIssuanceWorld } from './issuance-world.ts';

const MINUTE_MS = 60_000;

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld({ blocked: ['example.org'] });
  const { database, front, outcomes } = world;
  const { dns } = world.pebble;
  beforeEach(() => {
    front.reset();
    outcomes.length = 0;
  });

  /** As POST …/verify does. */
  async function verify({ id }: Domain): Promise<void> {
    const { openChange } = world.optionsWith();
    const domain = (await findDomain(database, id))!;
    await verifyUnchecked({ openChange, onVerified: (_, verified) => world.request(verified) }, domain, {
      isChecked: true,
    });
  }

  /** A domain that is proved by TXT, and also has an address that is not ours. */
  async function addMisled(): Promise<Domain> {
    const domain = await world.addDueDomain();
    await dns.cname(domain.hostname);
    await dns.txt(proofNameOf(domain.hostname), proofOf(domain.cnameTarget));
    await dns.aaaa(domain.hostname, ['2001:db8::1']);
    return domain;
  }

  test('a wrong address counts as a failure; the fourth one makes the domain failed, with found, wanted and cure', async () => {
    const domain = await addMisled();
    const delays: number[] = [];
    for (let failures = 1; failures <= 4; failures++) {
      expect(await world.stateOf(domain)).toMatchObject({ state: 'verified/provisioning', failure: null });
      await world.passDelay(domain);
      await world.issue(domain);
      delays.push((await world.stateOf(domain)).delayMs! / MINUTE_MS);
    }
    expect(outcomes.splice(0)).toEqual(['failed', 'failed', 'failed', 'failed']);
    for (const [i, wanted] of [1, 10, 100, 1440].entries()) {
      expect(delays[i]).toBeGreaterThan(wanted * 0.85);
      expect(delays[i]).toBeLessThan(wanted * 1.15);
    }
    // No failure reached the authority.
    expect(front.count('newOrder')).toBe(0);
    const { state, failure, lastError, https } = await world.stateOf(domain);
    expect({ state, https }).toEqual({ state: 'failed/failed', https: undefined });
    expect(failure).toBe(lastError);
    expect(failure).toMatch(
      /leads to 2001:db8::1.*must have no address but 127\.0\.0\.1.*Correct the A and AAAA/,
    );
  });

  test('a failed domain is tried daily for 7 days; then its owner starts again by verifying it', async () => {
    const domain = await addMisled();
    for (let failures = 1; failures <= 4; failures++) {
      await world.passDelay(domain);
      await world.issue(domain);
    }
    let days = 0;
    while ((await world.stateOf(domain)).delayMs !== undefined) {
      await world.passDelay(domain);
      await world.issue(domain);
      days += 1;
      expect(days).toBeLessThan(10);
    }
    expect(days).toBeGreaterThanOrEqual(6);
    await expect(world.passDelay(domain)).rejects.toThrow('nothing comes by itself');
    await dns.aaaa(domain.hostname);
    await verify(domain);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'verified/provisioning', delayMs: 0 });
    await world.issue(domain);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active', failure: null });
  });

  test('a domain that has not failed is not given up, also if an outage lasted a week after its first failure', async () => {
    const domain = await addMisled();
    await world.issue(domain);
    await world.passTime(domain, 8 * 24 * 60 * MINUTE_MS);
    await world.issue(domain);
    expect(outcomes).toEqual(['failed', 'failed']);
    const { state, delayMs } = await world.stateOf(domain);
    expect(state).toBe('verified/provisioning');
    expect(delayMs).toBeGreaterThan(0);
  });

  test('a failed domain whose cause is gone comes back by itself', async () => {
    const domain = await addMisled();
    for (let failures = 1; failures <= 4; failures++) {
      await world.passDelay(domain);
      await world.issue(domain);
    }
    expect((await world.stateOf(domain)).state).toBe('failed/failed');
    await dns.aaaa(domain.hostname);
    await world.passDelay(domain);
    await world.issue(domain);
    expect(await world.stateOf(domain)).toMatchObject({
      ...{ state: 'active/active', failure: null, lastError: null, https: true, hasChallenge: false },
    });
  });

  test('a verification in the middle of an attempt that fails begins anew', async () => {
    const domain = await addMisled();
    for (let failures = 1; failures <= 3; failures++) {
      await world.passDelay(domain);
      await world.issue(domain);
    }
    outcomes.length = 0;
    await world.passDelay(domain);
    await dns.aaaa(domain.hostname);
    front.break('newOrder', {
      change: async () => {
        await world.request(domain);
        return problem(400, 'rejectedIdentifier').answer;
      },
    });
    await world.issue(domain);
    const { rows } = await database.query(
      'SELECT failures, last_error FROM certificates WHERE domain_id = $1',
      [domain.id],
    );
    expect(rows).toEqual([{ failures: 0, last_error: null }]);
    expect((await world.stateOf(domain)).state).toBe('verified/provisioning');
  });

  test('a domain whose service ends in the middle of an attempt stays as it is', async () => {
    const domain = await world.addDueDomain();
    front.break('certificate', {
      change: async (answer) => {
        await database.query("UPDATE domains SET status = 'failed', ssl_status = 'failed' WHERE id = $1", [
          domain.id,
        ]);
        await world.stop(domain);
        return answer;
      },
    });
    await world.issue(domain);
    expect(outcomes).toEqual([]);
    expect((await world.stateOf(domain)).state).toBe('failed/failed');
    await database.query('UPDATE certificates SET leased_until = NULL WHERE domain_id = $1', [domain.id]);
    await world.issue(domain);
    expect((await world.stateOf(domain)).state).toBe('failed/failed');
  });

  test('a hostname that the authority refuses fails at once, and the message says why', async () => {
    const domain = await world.addDueDomain();
    front.break('newOrder', problem(400, 'rejectedIdentifier'));
    await world.issue(domain);
    expect(outcomes).toEqual(['refused']);
    const { state, failure, delayMs } = await world.stateOf(domain);
    expect(state).toBe('failed/failed');
    expect(failure).toMatch(/^localhost:\d+ refuses the certificate: front says rejectedIdentifier$/);
    expect(delayMs).toBeGreaterThan(0);
  });

  test('CAA that forbids the authority fails at once, before any order, and the message names the cure', async () => {
    const domain = await world.addDueDomain();
    await dns.caa('example.com', [{ tag: 'issue', value: 'digicert.com' }]);
    // Pebble does not say its names in CAA records.
    const caaIdentities = ['ca.example.net'];
    const say = ({ body, ...answer }: FrontAnswer) => {
      const directory = JSON.parse(body);
      return {
        ...answer,
        body: JSON.stringify({ ...directory, meta: { ...directory.meta, caaIdentities } }),
      };
    };
    front.break('directory', { change: say });
    const options = world.optionsWith({ directories: [front.directoryUrl] });
    await world.issue(domain, options);
    expect(outcomes).toEqual(['refused']);
    expect(front.count('newOrder')).toBe(0);
    const { state, failure } = await world.stateOf(domain);
    expect(state).toBe('failed/failed');
    expect(failure).toBe('CAA at example.com allows only digicert.com; add `0 issue "ca.example.net"`.');
    await dns.caa('example.com', [{ tag: 'issue', value: 'ca.example.net' }]);
    await verify(domain);
    await world.issue(domain, options);
    expect((await world.stateOf(domain)).state).toBe('active/active');
    await dns.caa('example.com');
  });

  test('CAA that cannot be read, as by SERVFAIL, is no failure of the domain at once', async () => {
    const domain = await world.addDueDomain();
    await dns.serverFailure(domain.hostname, true);
    await world.issue(domain);
    const { state, lastError } = await world.stateOf(domain);
    expect(state).toBe('verified/provisioning');
    expect(lastError).toMatch(/SERVFAIL/);
    expect(front.count('newOrder')).toBe(0);
    await dns.serverFailure(domain.hostname, false);
    await world.passDelay(domain);
    await world.issue(domain);
    expect((await world.stateOf(domain)).state).toBe('active/active');
  });

  test('while hosting does not answer the challenge, the authority is not asked to look, and nothing fails', async () => {
    const domain = await world.addDueDomain();
    await world.issue(domain, world.optionsWith({ pebble: { ...world.pebble, httpPort: 1 } }));
    expect(outcomes.splice(0)).toEqual(['unavailable']);
    expect(front.count('challenge')).toBe(0);
    const { state, lastError, hasChallenge } = await world.stateOf(domain);
    expect({ state, hasChallenge }).toEqual({ state: 'verified/provisioning', hasChallenge: false });
    expect(lastError).toMatch(/^Hosting at 127\.0\.0\.1, port 1, does not answer\./);
    await world.passDelay(domain);
    await world.issue(domain);
    expect(outcomes).toEqual(['issued']);
    expect(front.count('newOrder')).toBe(1);
  });
});
