/** Gives an API process the certificate of the API's hostname, as soon as there is a certificate and whenever it is replaced. */
import type { KeyRing } from '../../../platform/key-ring.ts';
import type { Log } from '../../../platform/log.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { sayRarely } from '../../../platform/say-rarely.ts';
import { readPrivateKey } from '../../../platform/x509/certificate-key.ts';
import { openCertificate } from '../../sites/certificate.ts';
import { findOwnCertificate } from './own-certificate-store.ts';

export interface WatchOwnCertificateOptions {
  readonly database: Queryable;
  readonly keys: KeyRing;
  readonly hostname: string;
  readonly log: Log;
  /** The function that receives each new certificate. Chain and key are in PEM. */
  readonly use: (certificate: { readonly chain: string; readonly key: string }) => void;
}

/** Returns a function that reads the certificate once. The function never rejects: if the read fails, the certificate in use stays. */
export function watchOwnCertificate(options: WatchOwnCertificateOptions): () => Promise<void> {
  const { database, keys, hostname, log, use } = options;
  const say = sayRarely((err: unknown) =>
    log.error({ hostname, err }, "the API's certificate cannot be read"),
  );
  let inUse: string | undefined;
  return async () => {
    try {
      const found = await findOwnCertificate(database, hostname);
      if (found === undefined || found.chain === inUse) return;
      const key = readPrivateKey(openCertificate(keys, found));
      use({ chain: found.chain, key: key.export({ format: 'pem', type: 'pkcs8' }) as string });
      inUse = found.chain;
      log.info({ hostname }, "the API's certificate is in use");
    } catch (error) {
      say(error);
    }
  };
}
