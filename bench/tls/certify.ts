/** Gives hostnames in a folder of objects a certificate of an authority of the bench's own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';
import { certificateKey, sealCertificate } from '../../src/sites/certificate.ts';
import { createTestAuthority, type TestCertificate } from '../../test/support/test-certificates.ts';

export interface Certified {
  /** PEM, for clients. */
  readonly ca: string;
  readonly certificate: TestCertificate;
  /** CERTIFICATE_KEYS, for hosting. */
  readonly keys: string;
}

/** All get one certificate, for `name`: making keys takes time. Each has an object and a sealed key of its own. */
export async function certify(
  objects: string,
  name: string,
  hostnames: readonly string[] = [name],
): Promise<Certified> {
  using authority = await createTestAuthority();
  const certificate = await authority.issue(name);
  const keys = newKeyRingText();
  const ring = new KeyRing(keys);
  await mkdir(join(objects, dirname(certificateKey(name))), { recursive: true });
  for (const hostname of hostnames) {
    const object = sealCertificate(ring, { hostname, notAfter: '2030-01-01T00:00:00Z', ...certificate });
    await writeFile(join(objects, certificateKey(hostname)), JSON.stringify(object));
  }
  return { ca: authority.ca, certificate, keys };
}
