/** A certificate authority of our own, for machines that no public authority can reach. The caller stores its certificate and its key. */
import { type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import {
  ECDSA_P256,
  newPrivateKey,
  readPrivateKey,
  webCryptoKeys,
  webCryptoPublicKey,
} from './certificate-key.ts';
import { loadX509 } from './load-x509.ts';

export interface OwnAuthority {
  /** The certificate of the authority, in PEM. Clients need it to trust the authority. */
  readonly certificate: string;
  /** The private key of the authority: PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
}

export interface Lifetime {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Creates an authority that issues only for `hostnames` and names below them, so a thief of the key cannot impersonate other hosts. */
export async function createAuthority(
  name: string,
  hostnames: readonly string[],
  lifetime: Lifetime,
): Promise<OwnAuthority> {
  const x509 = await loadX509();
  const privateKey = newPrivateKey();
  const keys = webCryptoKeys(readPrivateKey(privateKey));
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...lifetime,
    // Do not pass a string: the library parses it, and takes quotation marks for syntax.
    name: new x509.Name([{ CN: [{ utf8String: name }] }]),
    serialNumber: newSerialNumber(),
    keys,
    signingAlgorithm: ECDSA_P256,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS, true, nameConstraints(hostnames)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate.rawData), privateKey };
}

/** Issues a certificate for one hostname and one key, and returns the certificate in PEM. `publicKey`: a key on P-256. */
export async function issueCertificate(
  authority: OwnAuthority,
  { hostname, publicKey, ...lifetime }: { hostname: string; publicKey: KeyObject } & Lifetime,
): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = webCryptoKeys(readPrivateKey(authority.privateKey)).privateKey;
  const subjectKey = webCryptoPublicKey(publicKey);
  const certificate = await x509.X509CertificateGenerator.create({
    ...lifetime,
    serialNumber: newSerialNumber(),
    issuer: issuer.subjectName,
    publicKey: subjectKey,
    signingKey,
    signingAlgorithm: ECDSA_P256,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // The extension is critical, because the subject is empty (RFC 5280, section 4.2.1.6).
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }], true),
      await x509.SubjectKeyIdentifierExtension.create(subjectKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return pemOf(certificate.rawData);
}

/** Returns a number of 126 random bits, so it is unique. The first byte is never zero, because DER forbids leading zeros. */
function newSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString('hex');
}

const pemOf = (der: ArrayBuffer) => new X509Certificate(Buffer.from(der)).toString();

/**
 * Limits the names that an authority can issue for (RFC 5280, section 4.2.1.10). We write the bytes by hand, because @peculiar/x509 has no
 * such extension:
 *
 * ```
 * SEQUENCE
 *   [0] permitted   SEQUENCE { [2] DNS name } …   the name itself and everything below it
 *   [1] excluded    SEQUENCE { [7] address and mask }: all IPv4, all IPv6
 * ```
 */
const NAME_CONSTRAINTS = '2.5.29.30';

const SEQUENCE = 0x30;
const DNS_NAME = 0x82;
const ADDRESS = 0x87;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
/** An address and a mask of zeros match every address. */
const ALL_IPV4 = Buffer.alloc(8);
const ALL_IPV6 = Buffer.alloc(32);

/** Returns the value of the extension. It permits the given names and all names below them, and no addresses. Throws RangeError. */
function nameConstraints(permitted: readonly string[]): Buffer {
  const names = permitted.map((name) => tagged(SEQUENCE, tagged(DNS_NAME, Buffer.from(name, 'ascii'))));
  const addresses = [ALL_IPV4, ALL_IPV6].map((range) => tagged(SEQUENCE, tagged(ADDRESS, range)));
  return tagged(SEQUENCE, tagged(PERMITTED, ...names), tagged(EXCLUDED, ...addresses));
}

/** Returns a DER element. A length up to 127 takes one byte. We never need more. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length > 127) throw new RangeError('the permitted names are too long');
  return Buffer.concat([Buffer.of(tag, content.length), content]);
}
