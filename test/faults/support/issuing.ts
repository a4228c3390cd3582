/** Issues certificates with the real parts. All settings are plain, so another process can do the same. */
import {
  type IssuanceOutcome,
  type IssueCertificateOptions,
  issueCertificate,
} from '../../../src/features/certificates/issue-certificate.ts';
import { openSites } from '../../../src/features/sites/open-sites.ts';
import { KeyRing } from '../../../src/platform/key-ring.ts';
import { createLog } from '../../../src/platform/log.ts';
import { acmeIssuer } from '../../certificates/acme-issuer.ts';
import { CALL_TIMEOUT_MS, openStores, type StoreSettings } from './open-stores.ts';

export interface IssuingSettings extends StoreSettings {
  /** The keys, as in CERTIFICATE_KEYS. */
  readonly keys: string;
  readonly pebble: { readonly dnsServer: string; readonly httpPort: number };
  readonly directory: string;
}

/** The task of `issue-once.ts`. */
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
  const publicOrigin = 'https://{hostname}';
  const sites = openSites({ database, storage, log, publicOrigin, keepReplacedMs: 0, places: 2 });
  const issuer = acmeIssuer({
    ...{ database, storage, keys, pebble: settings.pebble },
    directories: [settings.directory],
    timeoutMs: CALL_TIMEOUT_MS,
  });
  const outcomes: IssuanceOutcome[] = [];
  const options: IssueCertificateOptions = {
    ...{ database, log },
    authorities: { keys, issuerFor: () => issuer },
    openChange: sites.openChange,
    random: Math.random,
    report: (outcome) => void outcomes.push(outcome),
  };
  return {
    outcomes,
    issue: async (domainId) => void (await issueCertificate(options, domainId)),
    writeSite: sites.write,
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  };
}
