/** Reads and checks chains of certificates that come from an authority. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { shownValue } from '../shown-value.ts';
import { certificateId } from './certificate-id.ts';
import { loadX509 } from './load-x509.ts';

export interface CertificateChain {
  /** The certificates of the chain in PEM, without any text between them. */
  readonly pem: string;
  /** The certificate of the hostname. */
  readonly leaf: X509Certificate;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The issuer's name for people, as in `Let's Encrypt, YE1`. */
  readonly issuer: string;
  /** The id of the certificate for renewal information and `replaces`. Undefined if the certificate does not name the key of its issuer. */
  readonly id: string | undefined;
}

/** The chain is damaged, does not fit the hostname or the key, or is not valid now. The message says why. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}

/** Authorities send two to four certificates of 1 to 2 KiB. */
const MAX_CERTIFICATES = 10;
const MAX_BYTES = 64 * 1024;
const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** `pem`: the leaf first, then each certificate's issuer. The last issuer may be missing. Throws ChainError. */
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
  try {
    return {
      pem: certificates.join(''),
      leaf,
      notBefore: leaf.validFromDate,
      notAfter: leaf.validToDate,
      issuer: await issuerForPeople(leaf),
      id: await certificateId(leaf),
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

/** Names prove nothing, because every issuer can choose them. So we verify the signature. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // The key of the issuer is of a kind that Node does not know.
    return false;
  }
}

async function issuerForPeople(leaf: X509Certificate): Promise<string> {
  const { X509Certificate: ParsedCertificate } = await loadX509();
  const { issuerName } = new ParsedCertificate(leaf.raw);
  const names = [...issuerName.getField('O'), ...issuerName.getField('CN')];
  return String(shownValue(names.join(', ').replace(/[\p{C}\p{Z}]+/gu, ' ')));
}
