/**
 * The contract with hosting for HTTPS. An object has the certificate of a hostname. Another object has the answer to a challenge of the
 * certificate authority. Key and chain are in the same object, so they are replaced together.
 *
 * ```
 * certificates/<hostname>.json     the chain and the sealed private key
 * challenges/<hostname>.json       while an authority checks the hostname
 * ```
 */
import { z } from 'zod';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { KeyRing } from '../../platform/key-ring.ts';

/** The content of `certificates/<hostname>.json`. */
export const hostCertificateSchema = z.object({
  hostname: z.string(),
  /** The certificate of the hostname, then the intermediate ones, in PEM. */
  chain: z.string(),
  /** The private key: PKCS #8 in DER, sealed for this hostname and this chain. */
  key: z.object({ keyId: z.string(), bytes: z.string() }),
  /** The end of validity, as in 2026-01-15T10:00:00Z. */
  notAfter: z.string(),
});
export type HostCertificate = z.infer<typeof hostCertificateSchema>;

/** The content of `challenges/<hostname>.json`: an http-01 challenge (RFC 8555, section 8.3). */
export const hostChallengeSchema = z.object({
  hostname: z.string(),
  token: z.string(),
  keyAuthorization: z.string(),
});
export type HostChallenge = z.infer<typeof hostChallengeSchema>;

export function certificateBytes({
  hostname,
  chain,
  key,
  notAfter,
}: Omit<HostCertificate, 'notAfter'> & { readonly notAfter: Date }): Buffer {
  const object: HostCertificate = { hostname, chain, key, notAfter: isoSeconds(notAfter) };
  return Buffer.from(JSON.stringify(object));
}

export const CERTIFICATES_PREFIX = 'certificates/';
export const CHALLENGES_PREFIX = 'challenges/';
export const certificateKey = (hostname: string) => `${CERTIFICATES_PREFIX}${hostname}.json`;
export const challengeKey = (hostname: string) => `${CHALLENGES_PREFIX}${hostname}.json`;

/** The hostname and chain to which a sealed private key is bound. With another hostname or chain, the key cannot be opened. */
export const certificateSubject = (hostname: string, chain: string) => ['certificate', hostname, chain];

/** Seals the private key of a certificate. `privateKey` is PKCS #8 in DER. */
export function sealCertificate(
  keys: KeyRing,
  { privateKey, ...certificate }: Omit<HostCertificate, 'key'> & { readonly privateKey: Uint8Array },
): HostCertificate {
  const { hostname, chain } = certificate;
  return { ...certificate, key: keys.seal(privateKey, certificateSubject(hostname, chain)) };
}

/** Returns the private key: PKCS #8 in DER. Throws SealError. */
export function openCertificate(
  keys: KeyRing,
  { hostname, chain, key }: Pick<HostCertificate, 'hostname' | 'chain' | 'key'>,
): Buffer {
  return keys.open(key, certificateSubject(hostname, chain));
}
