/** Renewals from Pebble: when they come, and what they say to the authority. */
import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { findCertificateSummary } from '../../src/features/certificates/certificate-store.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { ALREADY_REPLACED, problem, RATE_LIMITED } from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { createIssuanceWorld } from './issuance-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, front, outcomes, pebble } = world;
  beforeEach(() => {
    front.reset();
    outcomes.length = 0;
  });

  const serialOf = async (domain: Domain) =>
    new X509Certificate((await world.stateOf(domain)).stored!.chain).serialNumber;
  const tokens = async () =>
    (await database.query('SELECT order_tokens AS left FROM acme_accounts')).rows[0].left;
  /** Suggests a window, in days from now. */
  async function suggest(domain: Domain, start: number, end: number): Promise<void> {
    const at = (days: number) => new Date(Date.now() + days * DAY_MS);
    await pebble.setRenewalWindow((await world.stateOf(domain)).stored!.chain, at(start), at(end));
  }
  async function askAgain(domain: Domain): Promise<void> {
    await database.query('UPDATE certificates SET ari_check_at = now() WHERE domain_id = $1', [domain.id]);
    await world.issue(domain);
  }
  const renewAt = async ({ id }: Domain) => (await findCertificateSummary(database, id))!.renewAt!;

  test('a certificate is renewed when its time has come, not before, as a replacement that takes no token', async () => {
    const domain = await world.addActiveDomain();
    const first = await serialOf(domain);
    const before = await tokens();
    await world.passTime(domain, 20 * DAY_MS);
    await world.issue(domain);
    expect({ outcomes, serial: await serialOf(domain) }).toEqual({ outcomes: [], serial: first });
    await world.passDelay(domain);
    front.reset();
    await world.issue(domain);
    expect(outcomes).toEqual(['renewed']);
    expect(await serialOf(domain)).not.toBe(first);
    expect(await tokens()).toBe(before);
    expect(front.count('newOrder')).toBe(1);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active', https: true });
  });

  test.each([
    ['was replaced already', ALREADY_REPLACED],
    ['makes the authority stumble', problem(500, 'serverInternal')],
  ])('the renewal of a certificate that %s is an order like any other', async (_, fault) => {
    const domain = await world.addActiveDomain();
    const before = await tokens();
    await world.passTime(domain, 41 * DAY_MS);
    front.break('newOrder', fault);
    await world.issue(domain);
    expect(outcomes).toEqual(['renewed']);
    expect(front.count('newOrder')).toBe(2);
    expect(await tokens()).toBeLessThan(before);
  });

  test('a window that moves into the past renews at once, and only once', async () => {
    const domain = await world.addActiveDomain();
    const first = await serialOf(domain);
    await suggest(domain, -2, -1);
    await askAgain(domain);
    expect(outcomes).toEqual([]);
    expect(await world.stateOf(domain)).toMatchObject({ delayMs: 0 });
    await world.issue(domain);
    expect(outcomes).toEqual(['renewed']);
    expect(await serialOf(domain)).not.toBe(first);
    await world.issue(domain);
    expect(outcomes).toEqual(['renewed']);
    expect((await renewAt(domain)).getTime()).toBeGreaterThan(Date.now() + DAY_MS);
  });

  test('a time inside the window stays, and one outside moves into it', async () => {
    const domain = await world.addActiveDomain();
    await suggest(domain, 3, 4);
    await askAgain(domain);
    const chosen = await renewAt(domain);
    const days = (chosen.getTime() - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(2.9);
    expect(days).toBeLessThan(4.1);
    await askAgain(domain);
    expect(await renewAt(domain)).toEqual(chosen);
    await suggest(domain, 10, 12);
    await askAgain(domain);
    expect((await renewAt(domain)).getTime()).toBeGreaterThan(Date.now() + 9 * DAY_MS);
    expect(outcomes).toEqual([]);
  });

  test.each([
    ['the authority fails', () => front.break('renewalInfo', problem(500, 'serverInternal'))],
    ['it hangs', () => front.break('renewalInfo', 'hang')],
    [
      'it answers nonsense',
      () => front.break('renewalInfo', { answer: { status: 200, headers: {}, body: '[' } }),
    ],
  ])('without renewal information, because %s, the time stays', async (_, breakIt) => {
    const domain = await world.addActiveDomain();
    const before = await renewAt(domain);
    breakIt();
    await database.query('UPDATE certificates SET ari_check_at = now() WHERE domain_id = $1', [domain.id]);
    await world.issue(domain, world.optionsWith({ directories: [front.directoryUrl], timeoutMs: 2000 }));
    expect(await renewAt(domain)).toEqual(before);
    const { rows } = await database.query(
      "SELECT ari_check_at > now() + interval '1 hour' AS later FROM certificates WHERE domain_id = $1",
      [domain.id],
    );
    expect(rows).toEqual([{ later: true }]);
    expect(outcomes).toEqual([]);
  });

  test('a renewal that fails leaves the domain active until its certificate expires', async () => {
    const domain = await world.addActiveDomain();
    const { stored } = await world.stateOf(domain);
    await pebble.dns.cname(domain.hostname, 'elsewhere.example.org');
    await world.passTime(domain, 41 * DAY_MS);
    for (let failures = 1; ; failures++) {
      await world.issue(domain);
      if (String(outcomes) === 'expired') break;
      expect(outcomes.splice(0)).toEqual(['failed']);
      expect(failures).toBeLessThan(20);
      expect(await world.stateOf(domain)).toMatchObject({
        ...{ state: 'active/active', failure: null, https: true, stored },
        lastError: expect.stringContaining('elsewhere.example.org'),
      });
      await world.passDelay(domain);
    }
    expect(outcomes.splice(0)).toEqual(['expired']);
    expect(await world.stateOf(domain)).toMatchObject({
      ...{ state: 'verified/provisioning', https: false, stored: undefined, lastError: null, delayMs: 0 },
    });
    // From here on, the domain fails like a new domain.
    const states: unknown[] = [];
    for (let failures = 1; failures <= 4; failures++) {
      await world.passDelay(domain);
      await world.issue(domain);
      states.push((await world.stateOf(domain)).state);
    }
    expect(outcomes.splice(0)).toEqual(['failed', 'failed', 'failed', 'failed']);
    const provisioning = 'verified/provisioning';
    expect(states).toEqual([provisioning, provisioning, provisioning, 'failed/failed']);
    await pebble.dns.cname(domain.hostname, domain.cnameTarget);
    await world.passDelay(domain);
    await world.issue(domain);
    expect(outcomes.splice(0)).toEqual(['renewed']);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active', https: true });
  });

  test('a renewal that the authority puts off is tried when it says, or when the certificate expires', async () => {
    const domain = await world.addActiveDomain();
    await world.passTime(domain, 41 * DAY_MS);
    front.break('newOrder', RATE_LIMITED, { times: 2 });
    await world.issue(domain);
    expect(outcomes.splice(0)).toEqual(['unavailable']);
    const put = await world.stateOf(domain);
    expect(put).toMatchObject({ state: 'active/active', https: true });
    expect(put.delayMs).toBeGreaterThan(HOUR_MS / 2);
    await world.passTime(domain, 4 * DAY_MS - HOUR_MS);
    await database.query('UPDATE certificates SET due_at = now() WHERE domain_id = $1', [domain.id]);
    await world.issue(domain);
    expect((await world.stateOf(domain)).delayMs).toBeLessThan(HOUR_MS);
  });
});
