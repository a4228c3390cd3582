/** The events of certificates that webhooks get. */
import { beforeEach, describe, expect, test } from 'vitest';
import { proofNameOf, proofOf } from '../../src/features/domains/dns-facts.ts';
import { insertEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { UNAVAILABLE } from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { createIssuanceWorld } from './issuance-world.ts';

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, front } = world;
  const { dns } = world.pebble;
  beforeEach(async () => {
    front.reset();
    await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
  });

  async function addDomain() {
    const domain = await world.addDueDomain();
    await insertEndpoint(database, {
      ...{ id: newId('webhook'), accountId: domain.accountId, url: 'https://www.example.com/' },
      ...{ description: '', eventTypes: null },
    });
    return domain;
  }
  const events = async () =>
    (await database.query('SELECT type, data FROM webhook_events ORDER BY created_at, type')).rows;

  test('a domain that becomes active, once: renewals tell nothing', async () => {
    const domain = await addDomain();
    await world.issue(domain);
    const active = { type: 'domain.active', data: { domainId: domain.id, domain: domain.hostname } };
    expect(await events()).toEqual([active]);
    await world.passDelay(domain);
    await world.issue(domain);
    expect(await world.stateOf(domain)).toMatchObject({ state: 'active/active' });
    expect(await events()).toEqual([active]);
  });

  test('each failure with its next attempt, and once that the domain failed', async () => {
    const domain = await addDomain();
    await dns.cname(domain.hostname);
    await dns.txt(proofNameOf(domain.hostname), proofOf(domain.cnameTarget));
    await dns.aaaa(domain.hostname, ['2001:db8::1']);
    for (let failures = 1; failures <= 5; failures++) {
      await world.passDelay(domain);
      await world.issue(domain);
    }
    const { failure } = await world.stateOf(domain);
    const about = { domainId: domain.id, domain: domain.hostname, message: failure };
    const nextAttemptAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const failed = { type: 'certificate.failed', data: { ...about, nextAttemptAt } };
    expect(await events()).toEqual([
      failed,
      failed,
      failed,
      failed,
      { type: 'domain.failed', data: about },
      failed,
    ]);
  });

  test('failures of the authority tell nothing: they are no fault of the customer', async () => {
    const domain = await addDomain();
    front.break('newOrder', UNAVAILABLE, { times: 10 });
    await world.issue(domain);
    expect((await events()).filter(({ type }) => type === 'certificate.failed')).toEqual([]);
  });
});
