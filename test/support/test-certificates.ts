/** Certificates of an authority of the test run's own, made by openssl. Nothing but tests trusts it. */
import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificate {
  /** PEM: the certificate, then the one of the authority. */
  readonly chain: string;
  /** PKCS #8 in DER. */
  readonly privateKey: Buffer;
}

export interface TestAuthority extends Disposable {
  /** PEM, for clients. */
  readonly ca: string;
  /** Its path, for programs. */
  readonly caFile: string;
  /** A fresh key and certificate. */
  issue(hostname: string): TestCertificate;
}

export function createTestAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-authority-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const newKey = (name: string) =>
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file(name));
  newKey('ca.key');
  openssl(
    ...['req', '-x509', '-new', '-key', file('ca.key'), '-subj', '/CN=Authority of a test', '-days', '30'],
    ...['-addext', 'keyUsage=critical,keyCertSign,cRLSign', '-out', file('ca.pem')],
  );
  const ca = readFileSync(file('ca.pem'), 'utf8');
  return {
    ca,
    caFile: file('ca.pem'),
    issue(hostname) {
      newKey('host.key');
      const extensions = [
        `subjectAltName=DNS:${hostname}`,
        'extendedKeyUsage=serverAuth',
        'keyUsage=critical,digitalSignature',
        'basicConstraints=critical,CA:FALSE',
      ];
      writeFileSync(file('extensions'), extensions.join('\n'));
      openssl('req', '-new', '-key', file('host.key'), '-subj', '/', '-out', file('host.csr'));
      openssl(
        ...['x509', '-req', '-in', file('host.csr'), '-CA', file('ca.pem'), '-CAkey', file('ca.key')],
        ...['-CAcreateserial', '-days', '20', '-extfile', file('extensions'), '-out', file('host.pem')],
      );
      const key = createPrivateKey(readFileSync(file('host.key')));
      return {
        chain: readFileSync(file('host.pem'), 'utf8') + ca,
        privateKey: key.export({ format: 'der', type: 'pkcs8' }),
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
