/** Names a certificate to its authority, for renewal information and `replaces` (RFC 9773, section 4.1). */
import type { X509Certificate } from 'node:crypto';
import { loadX509 } from './load-x509.ts';

/** Returns for example aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE, or undefined if the certificate does not name its issuer's key. */
export async function certificateId(certificate: X509Certificate): Promise<string | undefined> {
  const { AuthorityKeyIdentifierExtension, X509Certificate: ParsedCertificate } = await loadX509();
  const parsed = new ParsedCertificate(certificate.raw);
  const keyId = parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) return undefined;
  const serial = derInteger(certificate.serialNumber);
  return `${Buffer.from(keyId, 'hex').toString('base64url')}.${serial.toString('base64url')}`;
}

/** The content of the INTEGER. If the first bit is set, a leading zero byte keeps the number positive. */
function derInteger(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return bytes.length > 0 && bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]);
}
