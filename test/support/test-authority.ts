/** The authority that issues the HTTPS certificate of test servers on localhost. Each test process has its own. */
import { createPublicKey } from 'node:crypto';
import tls from 'node:tls';
import { newPrivateKey, readPrivateKey } from '../../src/platform/x509/certificate-key.ts';
import { createAuthority, issueCertificate } from '../../src/platform/x509/own-authority.ts';
import { atEndOfFile } from './end-of-file.ts';

const DAY_MS = 86_400_000;
// The long lifetime lets tests run with another clock.
const LIFETIME = {
  notBefore: new Date(Date.now() - 365 * DAY_MS),
  notAfter: new Date(Date.now() + 365 * DAY_MS),
};

export const TEST_AUTHORITY = await createAuthority('Test servers', ['localhost'], LIFETIME);

const privateKey = readPrivateKey(newPrivateKey());

/** The key and the certificate of a server on https://localhost. */
export const testServerKeys = {
  key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
  cert: await issueCertificate(TEST_AUTHORITY, {
    hostname: 'localhost',
    publicKey: createPublicKey(privateKey),
    ...LIFETIME,
  }),
};

const others = tls.getCACertificates('default');

/** Makes this process trust the test servers until the end of the test file. Another process needs NODE_EXTRA_CA_CERTS. */
export function trustTestServers(): void {
  tls.setDefaultCACertificates([...others, TEST_AUTHORITY.certificate]);
}

atEndOfFile(() => tls.setDefaultCACertificates(others));
