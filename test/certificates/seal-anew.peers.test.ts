/** Replacing CERTIFICATE_KEYS: what an older key sealed is sealed anew, and what no key opens is kept until an operator gives it up. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { endLease, takeLease } from '../../src/features/certificates/certificate-store.ts';
import { askToReplaceLost, replaceLost } from '../../src/features/certificates/replace-lost.ts';
import { sealAnew } from '../../src/features/certificates/seal-anew.ts';
import { countKeyMissing } from '../../src/features/certificates/sealed-key-store.ts';
import {
  certificateKey,
  hostCertificateSchema,
  openCertificate,
} from '../../src/features/sites/certificate.ts';
import { KeyRing } from '../../src/platform/key-ring.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { isHere, needs } from '../support/needs.ts';
import { createIssuanceWorld } from './issuance-world.ts';

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, storage, log } = world;
  const { openChange } = world.optionsWith();
  const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
  const domain = await world.addDueDomain();
  const second = keyOf('k2');

  async function stored() {
    const bytes = await readObject(storage, certificateKey(domain.hostname));
    return bytes && hostCertificateSchema.parse(JSON.parse(bytes.toString()));
  }

  const sealedBy = async () => {
    const { rows } = await database.query(
      "SELECT c.key->>'keyId' AS certificate, a.key->>'keyId' AS account FROM certificates c, acme_accounts a",
    );
    return rows;
  };

  test('the new key opens the account and the certificate in both places, and the old one is not needed', async () => {
    await world.issue(domain);
    const before = openCertificate(world.keys, (await stored())!);
    await sealAnew({ database, keys: new KeyRing(`${second},${world.keysText}`), openChange, log });
    expect(await sealedBy()).toEqual([{ certificate: 'k2', account: 'k2' }]);
    expect(openCertificate(new KeyRing(second), (await stored())!)).toEqual(before);
  });

  test('a ring without the key gives nothing up', async () => {
    const before = await stored();
    const third = new KeyRing(keyOf('k3'));
    await sealAnew({ database, keys: third, openChange, log });
    expect(await stored()).toEqual(before);
    expect(await sealedBy()).toEqual([{ certificate: 'k2', account: 'k2' }]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
    expect(await countKeyMissing(database, third)).toBe(1);
    expect(await countKeyMissing(database, new KeyRing(second))).toBe(0);
  });

  test('damaged keys are kept, and stop no other', async () => {
    const before = await stored();
    const other = keyOf('k2');
    await sealAnew({ database, keys: new KeyRing(`${keyOf('k3')},${other}`), openChange, log });
    expect(await stored()).toEqual(before);
    expect(await sealedBy()).toEqual([{ certificate: 'k2', account: 'k2' }]);
  });

  test('an operator says that a key is lost: what the jobs can open stays', async () => {
    const before = await stored();
    await expect(askToReplaceLost(database, 'k9')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await askToReplaceLost(database, 'k2')).toBe(1);
    await replaceLost({ database, keys: new KeyRing(second), openChange, log }, 'k2');
    expect(await stored()).toEqual(before);
    expect(await sealedBy()).toEqual([{ certificate: 'k2', account: 'k2' }]);
  });

  test('what they cannot open is ordered again, after work under way, and another account is made', async () => {
    // The id is the same, and the key is not.
    const options = { database, keys: new KeyRing(keyOf('k2')), openChange, log };
    const work = await takeLease(database, domain.id);
    if (work === undefined || 'leasedMs' in work) throw new Error('the certificate is leased');
    await expect(replaceLost(options, 'k2')).rejects.toThrow(
      '1 certificates with a lost key had work under way',
    );
    expect(await stored()).toBeDefined();
    await endLease(database, work);
    await replaceLost(options, 'k2');
    expect(await stored()).toBeUndefined();
    expect(await takeLease(database, domain.id)).toMatchObject({ isDue: true, certificate: undefined });
    expect((await database.query('SELECT FROM acme_accounts')).rowCount).toBe(0);
  });

  test('for a domain that is no longer served, none is ordered in place of a lost one', async () => {
    const moved = await world.addDueDomain();
    await world.issue(moved);
    await world.stop(moved);
    await replaceLost({ database, keys: new KeyRing(keyOf('k2')), openChange, log }, 'k1');
    expect(await world.stateOf(moved)).toMatchObject({ stored: undefined, delayMs: undefined });
  });
});
