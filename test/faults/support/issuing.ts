/** Issues certificates with the real parts. All settings are plain, so another process can do the same. */
import {
  type IssuanceOutcome,
  type IssueCertificateOptions,
  issueCertificate,
} from '../../../src/certificates/issue-certificate.ts';
import { KeyRing } from '../../../src/platform/key-ring.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createChangeSite } from '../../../src/sites/change-site.ts';
import { writeSite } from '../../../src/sites/write-site.ts';
import { acmeIssuer } from '../../certificates/acme-issuer.ts';
import { CALL_TIMEOUT_MS, openStores, type StoreSettings } from './open-stores.ts';

export interface IssuingSettings extends StoreSettings {
  /** As CERTIFICATE_KEYS. */
  readonly keys: string;
  readonly pebble: { readonly dnsServer: string; readonly httpPort: number };
  readonly directory: string;
}

/** What `issue-once.ts` is told. */
export interface IssuanceTask extends IssuingSettings {
  readonly domainId: string;
}

export interface Issuing extends AsyncDisposable {
  readonly outcomes: IssuanceOutcome[];
  issue(domainId: string): Promise<void>;
  writeSite(hostname: string): Promise<unknown>;
}

export function openIssuing(settings: IssuingSettings): Issuing {
  const log = createLog('issuing', 'silent');
  const stores = openStores(settings);
  const { database, storage } = stores;
  const keys = new KeyRing(settings.keys);
  const writing = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: 0 };
  const write = (hostname: string) => writeSite(writing, hostname);
  const issuer = acmeIssuer({
    ...{ database, storage, keys, pebble: settings.pebble },
    directories: [settings.directory],
    timeoutMs: CALL_TIMEOUT_MS,
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
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  };
}
