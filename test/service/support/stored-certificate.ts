/** Writes the certificate of a hostname into the store, as the jobs do. A change of this format breaks what is stored. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import type { TestCertificate } from '../../../tools/test-certificates.ts';
import { readStored, writeStored } from './store.ts';

const KEY_ID = 'k1';
const KEY = randomBytes(32);

/** The setting of the processes that open it. */
export const CERTIFICATE_KEYS = `${KEY_ID}:${KEY.toString('base64')}`;

export async function storeCertificate(
  dataDir: string,
  hostname: string,
  { chain, privateKey }: TestCertificate,
): Promise<void> {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
  cipher.setAAD(Buffer.from(JSON.stringify([KEY_ID, 'certificate', hostname, chain])));
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
  const bytes = Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('base64');
  const object = { hostname, chain, key: { keyId: KEY_ID, bytes }, notAfter: '2030-01-01T00:00:00Z' };
  const text = JSON.stringify(object);
  await writeStored(dataDir, `certificates/${hostname}.json`, text);
  const siteKey = `sites/${hostname}/site.json`;
  const site = JSON.parse((await readStored(dataDir, siteKey)).toString());
  const certificate = createHash('sha256').update(text).digest().toString('base64url', 0, 16);
  await writeStored(dataDir, siteKey, JSON.stringify({ ...site, certificate }));
}
