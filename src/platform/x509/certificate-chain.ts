/** Reads and checks chains of certificates that come from an authority. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { shownValue } from '../shown-value.ts';
import { loadX509 } from './load-x509.ts';

export interface CertificateChain {
  /** The certificates of the chain in PEM, without any text between them. */
  readonly pem: string;
  /** The first certificate, which is that of the hostname. */
  readonly leaf: X509Certificate;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The issuer's name for people, for example `Let's Encrypt, YE1`. */
  readonly issuer: string;
  /**
   * The name of the certificate in questions to its authority (RFC 9773, section 4.1), for example aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE.
   * Undefined if the certificate does not name the key of its issuer.
   */
  readonly id: string | undefined;
}

/** The error for a chain that is damaged, does not fit the hostname or the key, or is not valid now. The message says why. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}

/** Authorities send two to four certificates of 1 to 2 KiB. */
const MAX_CERTIFICATES = 10;
const MAX_BYTES = 64 * 1024;
const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/**
 * Reads a chain. `pem`: the certificate of the hostname, and behind each certificate its issuer. The last issuer may be missing. Throws
 * ChainError.
 */
export async function readChain(pem: string): Promise<CertificateChain> {
  if (pem.length > MAX_BYTES) throw new ChainError(`the chain is larger than ${MAX_BYTES} bytes`);
  const certificates = readCertificates(pem);
  const [leaf] = certificates;
  if (leaf === undefined) throw new ChainError('the chain has no certificate');
  for (const [i, issuer] of certificates.slice(1).entries()) {
    if (!isIssuedBy(certificates[i]!, issuer)) {
      throw new ChainError(`certificate ${i + 2} of the chain did not issue certificate ${i + 1}`);
    }
  }
  const { AuthorityKeyIdentifierExtension, X509Certificate: ParsedCertificate } = await loadX509();
  try {
    const parsed = new ParsedCertificate(leaf.raw);
    return {
      pem: certificates.join(''),
      leaf,
      notBefore: leaf.validFromDate,
      notAfter: leaf.validToDate,
      issuer: shownName([...parsed.issuerName.getField('O'), ...parsed.issuerName.getField('CN')]),
      id: idOf(leaf, parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId),
    };
  } catch (cause) {
    throw new ChainError('the first certificate of the chain is malformed', { cause });
  }
}

/** Throws ChainError unless the chain serves this hostname with this key now. */
export function checkChain(
  { leaf, notBefore, notAfter }: CertificateChain,
  { hostname, privateKey, now }: { hostname: string; privateKey: KeyObject; now: Date },
): void {
  if (leaf.ca) throw new ChainError('the certificate is that of an authority');
  if (leaf.checkHost(hostname, { subject: 'never' }) === undefined) {
    throw new ChainError(`the certificate is not for ${hostname}`);
  }
  if (!leaf.checkPrivateKey(privateKey)) throw new ChainError('the certificate is for another key');
  if (!(notBefore <= now)) throw new ChainError(`the certificate is not valid before ${leaf.validFrom}`);
  if (!(now < notAfter)) throw new ChainError(`the certificate expired at ${leaf.validTo}`);
}

function readCertificates(pem: string): X509Certificate[] {
  const blocks = pem.split(BEGIN).slice(1);
  if (blocks.length > MAX_CERTIFICATES) {
    throw new ChainError(`the chain has more than ${MAX_CERTIFICATES} certificates`);
  }
  return blocks.map((block, i) => {
    try {
      return new X509Certificate(`${BEGIN}${block.slice(0, block.indexOf(END))}${END}\n`);
    } catch (cause) {
      throw new ChainError(`certificate ${i + 1} of the chain is malformed`, { cause });
    }
  });
}

/**
 * Returns whether the issuer has signed the certificate. The names alone prove nothing, because anyone can put any name into a certificate.
 */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // The key of the issuer is of a kind that Node does not know.
    return false;
  }
}

function shownName(names: readonly string[]): string {
  return String(shownValue(names.join(', ').replace(/[\p{C}\p{Z}]+/gu, ' ')));
}

function idOf({ serialNumber }: X509Certificate, issuerKeyId: string | undefined): string | undefined {
  if (issuerKeyId === undefined) return undefined;
  const parts = [Buffer.from(issuerKeyId, 'hex'), derInteger(serialNumber)];
  return parts.map((part) => part.toString('base64url')).join('.');
}

/** Returns the content of a DER INTEGER. If the first bit of the number is set, a leading zero byte keeps the INTEGER positive. */
function derInteger(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return bytes.length > 0 && bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]);
}
