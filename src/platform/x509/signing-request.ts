/** Makes certificate signing requests (PKCS #10, RFC 2986). */
import { ECDSA_P256, readPrivateKey, webCryptoKeys } from './certificate-key.ts';
import { loadX509 } from './load-x509.ts';

/**
 * Returns a request for one hostname, in DER. `privateKey`: P-256, PKCS #8 in DER. The subject is empty: authorities take the hostname from
 * subjectAltName, and a common name has room for 64 characters only.
 */
export async function createSigningRequest(hostname: string, privateKey: Uint8Array): Promise<Buffer> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadX509();
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: webCryptoKeys(readPrivateKey(privateKey)),
    signingAlgorithm: ECDSA_P256,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])],
  });
  return Buffer.from(request.rawData);
}
