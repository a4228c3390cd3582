/** Makes certificates of an authority that only the tests trust. */
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

export interface TestCertificate {
  /** PEM: the certificate, then the authority's certificate. */
  readonly chain: string;
  /** PKCS #8 in DER. */
  readonly privateKey: Buffer;
}

export interface TestAuthority extends Disposable {
  /** PEM, for clients. */
  readonly ca: string;
  /** The path of a file with `ca`, for programs. */
  readonly caFile: string;
  /** Issues a certificate for a new key. */
  issue(hostname: string): Promise<TestCertificate>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3_600_000;

export async function createTestAuthority(): Promise<TestAuthority> {
  const keys = await newKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Authority of a test',
    keys,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), 'waypost-authority-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, `${ca.toString('pem')}\n`);
  return {
    ca: ca.toString('pem'),
    caFile,
    issue: (hostname) => issue(hostname, ca, keys.privateKey),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function issue(hostname: string, ca: x509.X509Certificate, signingKey: webcrypto.CryptoKey) {
  const { publicKey, privateKey } = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: '',
    issuer: ca.subject,
    publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }], true),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(ca),
      new x509.CRLDistributionPointsExtension(['http://crl.example.com/ca.crl']),
    ],
  });
  return {
    chain: `${certificate.toString('pem')}\n${ca.toString('pem')}\n`,
    privateKey: Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

function validity() {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 80 * DAY_MS) };
}
