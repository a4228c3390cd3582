/** Writes the certificate of a site, which is an object apart from `site.json`: most changes of a site do not touch it. */
import { type Transaction, whileIdle } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { certificateBytes, certificateDigest, certificateKey } from './certificate.ts';
import { findSiteCertificate } from './site-store.ts';

/**
 * `written`: what site.json says of the object in the store; undefined if that is not known. Returns what it is to say
 * now. `overtaken`: another writer replaced the object meanwhile.
 */
export async function writeCertificate(
  storage: Pick<ObjectStorage, 'get' | 'putIfUnchanged'>,
  transaction: Transaction,
  { id: domainId, hostname }: { readonly id: string; readonly hostname: string },
  written: string | null | undefined,
): Promise<{ readonly certificate: string | null } | 'overtaken'> {
  const found = await findSiteCertificate(transaction, domainId);
  if (found === undefined) return { certificate: null };
  const bytes = certificateBytes({ hostname, ...found });
  const certificate = certificateDigest(bytes);
  if (certificate === written) return { certificate };
  return whileIdle(transaction, async () => {
    const former = await storage.get(certificateKey(hostname));
    former?.body.destroy();
    const isWritten = await storage.putIfUnchanged(certificateKey(hostname), [bytes], former);
    return isWritten ? { certificate } : 'overtaken';
  });
}
