/** Certificates from Pebble, as the authority would issue them: real DNS, real HTTP, real Postgres. */
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { findCertificateSummary } from '../../src/certificates/certificate-store.ts';
import { issueCertificate } from '../../src/certificates/issue-certificate.ts';
import { findDomain } from '../../src/domains/domain-store.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import {
  certificateKey,
  challengeKey,
  hostCertificateSchema,
  openCertificate,
} from '../../src/sites/certificate.ts';
import { readSite } from '../../src/sites/read-site.ts';
import { createIssuanceWorld } from './issuance-world.ts';

const world = await createIssuanceWorld();
const { database, storage, keys, outcomes } = world;

async function storedCertificate(hostname: string) {
  const bytes = await readObject(storage, certificateKey(hostname));
  return bytes && hostCertificateSchema.parse(JSON.parse(bytes.toString()));
}

test('a verified domain becomes active, with a certificate that hosting can read', async () => {
  const domain = await world.addDueDomain();
  await issueCertificate(world.optionsWith(world.acme()), domain.id);
  expect(world.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(outcomes.splice(0)).toEqual(['issued']);
  expect(await findDomain(database, domain.id)).toMatchObject({ status: 'active', sslStatus: 'active' });
  const stored = (await storedCertificate(domain.hostname))!;
  const leaf = new X509Certificate(stored.chain);
  expect(leaf.checkHost(domain.hostname)).toBe(domain.hostname);
  expect(openCertificate(keys, stored).length).toBeGreaterThan(100);
  expect(await readSite(storage, domain.hostname)).toMatchObject({ https: true });
  expect(await readObject(storage, challengeKey(domain.hostname))).toBeUndefined();
  const summary = (await findCertificateSummary(database, domain.id))!;
  expect(summary).toMatchObject({ issuer: expect.stringContaining('Pebble'), lastError: null });
  expect(summary.renewAt!.getTime()).toBeLessThan(summary.notAfter!.getTime());
});
