/**
 * Writes the certificate of a site. The certificate is an object apart from `site.json`, because most changes of a site do not touch the
 * certificate.
 */
import { contentDigest } from '../../platform/content-digest.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { certificateBytes, certificateKey } from './certificate.ts';
import type { SiteCertificate } from './site-store.ts';

/**
 * Writes the certificate. `written`: the digest that site.json has for the stored object, or undefined if it is not known. Returns the
 * digest for the new site.json. `overtaken`: another writer replaced the object meanwhile.
 */
export async function writeCertificate(
  storage: Pick<ObjectStorage, 'get' | 'putIfUnchanged'>,
  hostname: string,
  found: SiteCertificate | undefined,
  written: string | null | undefined,
): Promise<{ readonly certificate: string | null } | 'overtaken'> {
  if (found === undefined) return { certificate: null };
  const bytes = certificateBytes({ hostname, ...found });
  const certificate = contentDigest([bytes]);
  if (certificate === written) return { certificate };
  const former = await storage.get(certificateKey(hostname));
  former?.body.destroy();
  const isWritten = await storage.putIfUnchanged(certificateKey(hostname), [bytes], former);
  return isWritten ? { certificate } : 'overtaken';
}
