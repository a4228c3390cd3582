/** Gives hostnames in a folder of objects a certificate of the bench's own authority. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { certificateKey, sealCertificate } from '../../src/features/sites/certificate.ts';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';
import { createTestAuthority, type TestCertificate } from '../../tools/test-certificates.ts';

export interface Certified {
  /** PEM, for clients. */
  readonly ca: string;
  readonly certificate: TestCertificate;
  /** CERTIFICATE_KEYS, for hosting. */
  readonly keys: string;
}

/** Gives all hostnames one certificate, for `name`, because new keys take time. Each hostname gets its own object and sealed key. */
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
