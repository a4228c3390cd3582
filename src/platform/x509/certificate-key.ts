/** Private keys of certificates and of accounts at authorities. All are for ECDSA on P-256, and stored as PKCS #8 in DER. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

export const ECDSA_P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Returns a fresh private key: PKCS #8 in DER. */
export function newPrivateKey(): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'der', type: 'pkcs8' });
}

export function readPrivateKey(der: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
}

/** Returns the private key and its public key in the form of WebCrypto. */
export function webCryptoKeys(privateKey: KeyObject) {
  return {
    privateKey: privateKey.toCryptoKey(ECDSA_P256, false, ['sign']),
    publicKey: webCryptoPublicKey(createPublicKey(privateKey)),
  };
}

export function webCryptoPublicKey(publicKey: KeyObject) {
  return publicKey.toCryptoKey(ECDSA_P256, true, ['verify']);
}
