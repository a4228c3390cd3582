/** Replacing CERTIFICATE_KEYS: what an older key sealed is sealed anew, and what no key opens is ordered again. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { takeLease } from '../../src/features/certificates/certificate-store.ts';
import { sealAnew } from '../../src/features/certificates/seal-anew.ts';
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
    const second = keyOf('k2');
    await sealAnew({ database, keys: new KeyRing(`${second},${world.keysText}`), openChange, log });
    expect(await sealedBy()).toEqual([{ certificate: 'k2', account: 'k2' }]);
    expect(openCertificate(new KeyRing(second), (await stored())!)).toEqual(before);
  });

  test('without any key that opens them, the certificate is due again, and another account is made', async () => {
    await sealAnew({ database, keys: new KeyRing(keyOf('k3')), openChange, log });
    expect(await stored()).toBeUndefined();
    expect(await takeLease(database, domain.id)).toMatchObject({ isDue: true, certificate: undefined });
    expect((await database.query('SELECT FROM acme_accounts')).rowCount).toBe(0);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});
