/** The certificate of the API's own hostname, from Pebble. */
import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readExpiries } from '../../src/features/certificates/certificate-store.ts';
import { findOwnCertificate, takeDueOwn } from '../../src/features/certificates/own/own-certificate-store.ts';
import { renewOwnCertificate } from '../../src/features/certificates/own/renew-own-certificate.ts';
import { watchOwnCertificate } from '../../src/features/certificates/own/watch-own-certificate.ts';
import { askToReplaceLost, replaceLost } from '../../src/features/certificates/replace-lost.ts';
import { countKeyMissing } from '../../src/features/certificates/sealed-key-store.ts';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';
import { problem } from '../support/acme-front.ts';
import { isHere, needs } from '../support/needs.ts';
import { createIssuanceWorld } from './issuance-world.ts';

const DAY_MS = 24 * 3_600_000;

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, front, outcomes, log } = world;
  let n = 0;
  let hostname: string;
  beforeEach(async () => {
    await database.query('DELETE FROM own_certificates');
    front.reset();
    outcomes.length = 0;
    hostname = `api${n++}.waypost.example`;
  });

  const renew = (keys = world.keys) => {
    const { authorities, ...options } = world.optionsWith();
    return renewOwnCertificate({ ...options, authorities: { ...authorities!, keys } }, hostname);
  };
  const stored = () => findOwnCertificate(database, hostname);
  const serial = async () => new X509Certificate((await stored())!.chain).serialNumber;
  const passDays = (days: number) =>
    database.query(
      `UPDATE own_certificates SET due_at = due_at - $2 * interval '1 millisecond', ari_check_at = NULL,
              renew_at = renew_at - $2 * interval '1 millisecond' WHERE hostname = $1`,
      [hostname, days * DAY_MS],
    );

  test('it is ordered once, used by the processes that watch it, and renewed as a replacement when its time has come', async () => {
    await Promise.all([renew(), renew()]);
    expect(outcomes).toEqual(['issued']);
    const used: string[] = [];
    const use = ({ chain }: { chain: string }) => void used.push(new X509Certificate(chain).serialNumber);
    const look = watchOwnCertificate({ database, keys: world.keys, hostname, log, use });
    await look();
    await look();
    const first = await serial();
    expect(new X509Certificate((await stored())!.chain).checkHost(hostname)).toBe(hostname);

    await renew();
    expect(outcomes).toEqual(['issued']);
    await passDays(60);
    await renew();
    expect(outcomes).toEqual(['issued', 'renewed']);
    await look();
    expect(used).toEqual([first, await serial()]);
    expect(used[1]).not.toBe(first);
  });

  test('a failure is tried again later, and an order goes on where a process died', async () => {
    front.break('finalize', problem(500, 'serverInternal'), { times: 100 });
    await renew();
    expect(outcomes).toEqual(['unavailable']);
    expect(await stored()).toBeUndefined();
    await renew();
    expect(outcomes).toEqual(['unavailable']);
    front.reset();
    await database.query('UPDATE acme_accounts SET paused_until = NULL');
    await passDays(1);
    await renew();
    expect(outcomes).toEqual(['unavailable', 'issued']);
    expect(front.count('newOrder')).toBe(0);
  });

  test('a hostname without an address is a failure that says so', async () => {
    await world.pebble.dns.serverFailure(hostname, true);
    await renew();
    const { rows } = await database.query('SELECT last_error FROM own_certificates WHERE hostname = $1', [
      hostname,
    ]);
    expect(rows[0].last_error).toContain(hostname);
    expect(await stored()).toBeUndefined();
    await world.pebble.dns.serverFailure(hostname, false);
  });

  test('its key is sealed anew with the first key, and kept if no key opens it, until an operator says that the key is lost', async () => {
    await renew();
    const before = await serial();
    const added = newKeyRingText().replace('k1:', 'k2:');
    await renew(new KeyRing(`${added},${world.keysText}`));
    expect((await stored())!.key.keyId).toBe('k2');
    expect(await serial()).toBe(before);
    await renew();
    expect(await stored()).toMatchObject({ key: { keyId: 'k2' } });
    expect(await serial()).toBe(before);
    expect(await countKeyMissing(database, world.keys)).toBe(1);

    expect(await askToReplaceLost(database, 'k2')).toBe(1);
    const { openChange } = world.optionsWith();
    await replaceLost({ database, keys: new KeyRing(added), openChange, log }, 'k2');
    expect(await serial()).toBe(before);
    await replaceLost({ database, keys: world.keys, openChange, log }, 'k2');
    await renew();
    expect(await serial()).not.toBe(before);
    expect((await stored())!.key.keyId).toBe('k1');
  });

  test('a former hostname of the API counts no more when its renewal is overdue, and is gone when its certificate expires', async () => {
    const former = `former-${hostname}`;
    const { authorities, ...options } = world.optionsWith();
    await renewOwnCertificate({ ...options, authorities: authorities! }, former);
    await renew();
    const daysLeft = async () => (await readExpiries(database)).leastDays!;
    const moveTo = (notAfter: string, dueAt: string) =>
      database.query(
        `UPDATE own_certificates SET not_after = now() + $2::interval, due_at = now() + $3::interval WHERE hostname = $1`,
        [former, notAfter, dueAt],
      );
    await moveTo('6 days', '-1 hour');
    expect(await daysLeft()).toBeCloseTo(6, 1);
    await moveTo('6 days', '-2 days');
    expect(await daysLeft()).toBeGreaterThan(7);
    // A new key seals the former certificate, too.
    await renew(new KeyRing(`${newKeyRingText().replace('k1:', 'k2:')},${world.keysText}`));
    expect(await findOwnCertificate(database, former)).toMatchObject({ key: { keyId: 'k2' } });
    await moveTo('-1 hour', '-2 days');
    await renew();
    expect(await findOwnCertificate(database, former)).toBeUndefined();
    expect(await stored()).toBeDefined();
  });

  test('while one process works on it, no other does', async () => {
    await renew();
    await passDays(60);
    expect(await takeDueOwn(database, hostname)).toMatchObject({ hostname, isDue: true });
    await renew();
    expect(outcomes).toEqual(['issued']);
  });
});
