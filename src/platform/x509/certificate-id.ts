/** Names a certificate to its authority, for renewal information and `replaces` (RFC 9773, section 4.1). */
import type { X509Certificate } from 'node:crypto';
import { loadX509 } from './load-x509.ts';

/** As in aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE. Undefined for a certificate that does not name the key of its issuer. */
export async function certificateId(certificate: X509Certificate): Promise<string | undefined> {
  const { AuthorityKeyIdentifierExtension, X509Certificate: ParsedCertificate } = await loadX509();
  const parsed = new ParsedCertificate(certificate.raw);
  const keyId = parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) return undefined;
  const serial = derInteger(certificate.serialNumber);
  return `${Buffer.from(keyId, 'hex').toString('base64url')}.${serial.toString('base64url')}`;
}

/** The content of the INTEGER. A leading zero byte keeps a number positive whose first bit is set. */
function derInteger(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return bytes.length > 0 && bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]);
}
