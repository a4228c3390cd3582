/** Certificates from Pebble, as the authority would issue them: real DNS, real HTTP, real Postgres. */
import { createPublicKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { domainLife } from '../../src/compose/domain-life.ts';
import { findCertificateSummary } from '../../src/features/certificates/certificate-store.ts';
import { cnameTargetFor } from '../../src/features/domains/cname-target.ts';
import { deleteDomain } from '../../src/features/domains/delete-domain.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { findDomain, insertDomain, markVerified } from '../../src/features/domains/domain-store.ts';
import { openCertificate } from '../../src/features/sites/certificate.ts';
import { newId } from '../../src/platform/ids.ts';
import { readPrivateKey } from '../../src/platform/x509/certificate-key.ts';
import { addAccount, CNAME_TARGETS } from '../support/accounts.ts';
import { meanwhile } from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createIssuanceWorld } from './issuance-world.ts';

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, front, keys, outcomes } = world;

  /** Registers and verifies the hostname again. */
  async function register(hostname: string, accountId: string): Promise<Domain> {
    const cnameTarget = cnameTargetFor(CNAME_TARGETS, accountId, hostname);
    const domain = await insertDomain(
      database,
      { id: newId('domain'), accountId, hostname, cnameTarget },
      1000,
    );
    await world.pebble.dns.cname(hostname, cnameTarget);
    await using change = await world.sites.openChange();
    const verified = (await markVerified(change.transaction, domain.id, undefined))!;
    await domainLife(world.sites).onVerified(change.transaction, verified);
    await change.commit(domain);
    return verified;
  }
  const unregister = (domain: Domain) => deleteDomain(domainLife(world.sites), domain);

  test('a verified domain becomes active, with a certificate that hosting can read', async () => {
    front.reset();
    const domain = await world.addDueDomain();
    await world.issue(domain);
    expect(world.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(outcomes.splice(0)).toEqual(['issued']);
    const { stored, ...state } = await world.stateOf(domain);
    expect(state).toMatchObject({
      ...{ state: 'active/active', failure: null, lastError: null, https: true, hasChallenge: false },
      delayMs: expect.any(Number),
    });
    const leaf = new X509Certificate(stored!.chain);
    expect(leaf.checkHost(domain.hostname)).toBe(domain.hostname);
    expect(leaf.checkPrivateKey(readPrivateKey(openCertificate(keys, stored!)))).toBe(true);
    const summary = (await findCertificateSummary(database, domain.id))!;
    expect(summary).toMatchObject({ issuer: expect.stringContaining('Pebble'), lastError: null });
    expect(summary.renewAt!.getTime()).toBeLessThan(summary.notAfter!.getTime());
    expect(front.count('newOrder')).toBe(1);
  });

  test('every certificate has a key of its own', async () => {
    const domain = await world.addActiveDomain();
    const first = (await world.stateOf(domain)).stored!;
    await world.passTime(domain, 44 * 86_400_000);
    await world.issue(domain);
    expect(outcomes.splice(0)).toEqual(['renewed']);
    const second = (await world.stateOf(domain)).stored!;
    const publicKeys = [first, second].map(({ chain }) =>
      createPublicKey(chain).export({ format: 'pem', type: 'spki' }),
    );
    expect(publicKeys[0]).not.toBe(publicKeys[1]);
  });

  test('ten processes that work on one hostname at once place one order', async () => {
    front.reset();
    const domain = await world.addDueDomain();
    const pools = Array.from({ length: 10 }, () => createPatientPool(world.url, 3));
    try {
      await Promise.all(pools.map((pool) => world.issue(domain, world.optionsWith({ database: pool }))));
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
    expect(outcomes.splice(0)).toEqual(['issued']);
    expect(front.count('newOrder')).toBe(1);
    expect((await world.stateOf(domain)).state).toBe('active/active');
  });

  test('a domain that is deleted in the middle of an order leaves nothing behind', async () => {
    front.reset();
    for (const kind of ['newOrder', 'authorization', 'challenge', 'finalize', 'certificate'] as const) {
      const domain = await world.addDueDomain();
      front.break(
        kind,
        meanwhile(() => unregister(domain)),
      );
      await world.issue(domain);
      expect(outcomes.splice(0)).toEqual([]);
      expect(await findDomain(database, domain.id)).toBeUndefined();
      const { https, stored, hasChallenge } = await world.stateOf(domain);
      expect({ https, stored, hasChallenge }).toEqual({ hasChallenge: false });
      const { rows } = await database.query(
        'SELECT due_at, domain_id FROM certificates WHERE hostname = $1',
        [domain.hostname],
      );
      expect(rows).toEqual([{ due_at: null, domain_id: null }]);
    }
  });

  test('the same account that registers a hostname again has its certificate without an order', async () => {
    const domain = await world.addActiveDomain();
    const { stored } = await world.stateOf(domain);
    await unregister(domain);
    expect(await world.stateOf(domain)).toMatchObject({ https: undefined, stored: undefined });
    const again = await register(domain.hostname, domain.accountId);
    await world.issue(again);
    expect(outcomes.splice(0)).toEqual(['kept']);
    expect(front.count('newOrder')).toBe(0);
    expect(await world.stateOf(again)).toMatchObject({ state: 'active/active', https: true, stored });
  });

  test('a kept certificate serves while its renewal is due, and the renewal comes next', async () => {
    const domain = await world.addActiveDomain();
    await unregister(domain);
    const again = await register(domain.hostname, domain.accountId);
    await world.passTime(again, 44 * 86_400_000);
    await world.issue(again);
    expect(outcomes.splice(0)).toEqual(['kept']);
    expect((await world.stateOf(again)).delayMs).toBe(0);
    await world.issue(again);
    expect(outcomes.splice(0)).toEqual(['renewed']);
  });

  test('another account that registers the hostname gets a new certificate, never the kept one', async () => {
    const domain = await world.addActiveDomain();
    const { stored } = await world.stateOf(domain);
    await unregister(domain);
    const taken = await register(domain.hostname, await addAccount(database));
    expect(await world.stateOf(taken)).toMatchObject({ https: false, stored: undefined });
    await world.issue(taken);
    expect(outcomes.splice(0)).toEqual(['issued']);
    const anothers = (await world.stateOf(taken)).stored!;
    expect(new X509Certificate(anothers.chain).serialNumber).not.toBe(
      new X509Certificate(stored!.chain).serialNumber,
    );
  });
});
