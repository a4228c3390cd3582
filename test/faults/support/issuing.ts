/** Issues certificates with the real parts. All settings are plain, so another process can do the same. */
import {
  type IssuanceOutcome,
  type IssueCertificateOptions,
  issueCertificate,
} from '../../../src/certificates/issue-certificate.ts';
import { KeyRing } from '../../../src/platform/key-ring.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createDatabasePool } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { createChangeSite } from '../../../src/sites/change-site.ts';
import { writeSite } from '../../../src/sites/write-site.ts';
import { acmeIssuer } from '../../certificates/acme-issuer.ts';

export interface IssuingSettings {
  readonly databaseUrl: string;
  readonly s3: {
    readonly endpoint: string;
    readonly region: string;
    readonly bucket: string;
    readonly accessKey: string;
    readonly secretKey: string;
  };
  /** As CERTIFICATE_KEYS. */
  readonly keys: string;
  readonly pebble: { readonly dnsServer: string; readonly httpPort: number };
  readonly directory: string;
}

export interface Issuing extends AsyncDisposable {
  readonly outcomes: IssuanceOutcome[];
  issue(domainId: string): Promise<void>;
  writeSite(hostname: string): Promise<unknown>;
}

/** A call that hangs is given up soon. */
const TIMEOUT_MS = 1000;
const S3_DEADLINES = { attemptTimeoutMs: TIMEOUT_MS, stallTimeoutMs: TIMEOUT_MS };

export function openIssuing({ databaseUrl, s3, keys: keyText, pebble, directory }: IssuingSettings): Issuing {
  const log = createLog('issuing', 'silent');
  const database = createDatabasePool(new Secret(databaseUrl), 4, log);
  const secrets = { accessKey: new Secret(s3.accessKey), secretKey: new Secret(s3.secretKey) };
  const storage = createS3Storage({ ...s3, ...secrets }, S3_DEADLINES);
  const keys = new KeyRing(keyText);
  const writing = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: 0 };
  const write = (hostname: string) => writeSite(writing, hostname);
  const issuer = acmeIssuer({
    ...{ database, storage, keys, pebble },
    directories: [directory],
    timeoutMs: TIMEOUT_MS,
  });
  const outcomes: IssuanceOutcome[] = [];
  const options: IssueCertificateOptions = {
    ...{ database, log },
    authorities: { keys, issuerFor: () => issuer },
    changeSite: createChangeSite({ database, writeSite: write }),
    random: Math.random,
    report: (outcome) => void outcomes.push(outcome),
  };
  return {
    outcomes,
    issue: async (domainId) => void (await issueCertificate(options, domainId)),
    writeSite: write,
    async [Symbol.asyncDispose]() {
      storage[Symbol.dispose]();
      await database.end();
    },
  };
}
