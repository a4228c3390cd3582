/** Checks an issued chain as clients check it, seals its key, and chooses the time of its renewal. */
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { KeyRing } from '../../platform/key-ring.ts';
import {
  type CertificateChain,
  ChainError,
  checkChain,
  readChain,
} from '../../platform/x509/certificate-chain.ts';
import { readPrivateKey } from '../../platform/x509/certificate-key.ts';
import { sealCertificate } from '../sites/certificate.ts';
import type { Certificate } from './certificate.ts';
import { IssuanceError, type IssuanceRequest, type IssuedCertificate, type Issuer } from './issuer.ts';
import { firstRenewalTime, nextAriCheck } from './renewal-time.ts';
import { OPERATOR_MS } from './retry-times.ts';

/**
 * A certificate that begins less than this after `now` counts as valid. `now` was read before the order, and an order takes minutes at
 * most.
 */
const MAX_AHEAD_MS = 3_600_000;

export interface DescribeIssuedOptions {
  readonly issuer: Issuer;
  /** The keys that seal private keys. */
  readonly keys: KeyRing;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

type Asked = Pick<IssuanceRequest, 'hostname' | 'now' | 'saveOrder'>;

/** Describes an issued certificate. Throws IssuanceError for a chain that clients do not accept. */
export async function describeIssued(
  { issuer, keys, random }: DescribeIssuedOptions,
  asked: Asked,
  issued: IssuedCertificate,
): Promise<{ certificate: Certificate; ariCheckAt: Date }> {
  const { hostname, now } = asked;
  const { privateKey, directory } = issued;
  const chain = await readAsClient(asked, issued).catch(async (error) => {
    // End the order. If it is continued, the authority sends the same certificate again.
    await asked.saveOrder(undefined);
    throw error;
  });
  const { notBefore, notAfter, issuer: by, id: ariId = null } = chain;
  // If the renewal window cannot be read, the certificate must be saved all the same.
  const window = await issuer.renewalWindow({ directory, ariId }).catch(() => undefined);
  const certificate = {
    ...{ directory, notBefore, notAfter, ariId, issuer: by, chain: chain.pem },
    key: sealCertificate(keys, { hostname, chain: chain.pem, notAfter: isoSeconds(notAfter), privateKey })
      .key,
    renewAt: firstRenewalTime(chain, window, random()),
  };
  return { certificate, ariCheckAt: nextAriCheck(now, window) };
}

async function readAsClient(
  { hostname, now }: Asked,
  { chain: pem, privateKey }: IssuedCertificate,
): Promise<CertificateChain> {
  try {
    const chain = await readChain(pem);
    // A new certificate may begin after `now`: the authority's clock may be ahead of ours, and `now` was read before the order.
    const isNew = chain.notBefore.getTime() - now.getTime() < MAX_AHEAD_MS;
    const at = isNew && chain.notBefore > now ? chain.notBefore : now;
    checkChain(chain, { hostname, privateKey: readPrivateKey(privateKey), now: at });
    return chain;
  } catch (cause) {
    if (!(cause instanceof ChainError)) throw cause;
    const message = `The certificate authority sent a certificate that cannot be used: ${cause.message}.`;
    throw new IssuanceError('unavailable', message, { retryAfterMs: OPERATOR_MS, cause });
  }
}
