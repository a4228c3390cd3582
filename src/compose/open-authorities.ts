/** Opens the certificate authorities of a process: the configured ones, and the local authority of the all-in-one program. */
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../core/config/config.ts';
import { AcmeIssuer, type LimitedServer } from '../features/certificates/acme-issuer.ts';
import type { Authorities } from '../features/certificates/issue-certificate.ts';
import type { Issuer } from '../features/certificates/issuer.ts';
import { checkHostname } from '../features/certificates/pre-flight.ts';
import { proveControl, removeChallenge } from '../features/certificates/prove-control.ts';
import { createDiagnose } from '../features/domains/diagnose-domain.ts';
import { isBelow } from '../platform/dns/dns-name.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** The most new orders in three hours at an authority that ACME_ORDERS_PER_3H does not name. Let's Encrypt allows 300. */
const ORDERS_PER_3H = 250;

export interface LocalAuthority {
  readonly issuer: Issuer;
  /** The names for which the local authority issues, with all names below them. */
  readonly names: readonly string[];
}

/** Opens the authorities. Returns undefined without `keys`, which seal certificates. Throws ConfigError. */
export function openAuthorities(
  options: DatabaseProcessOptions,
  keys: KeyRing | undefined,
  local?: LocalAuthority,
): Authorities | undefined {
  const { config } = options;
  if (keys === undefined) {
    if (config.ACME_DIRECTORY.length === 0) return undefined;
    throw new ConfigError('With ACME_DIRECTORY set, CERTIFICATE_KEYS must be set too.');
  }
  refuseUnknownDirectories(config);
  const acme = config.ACME_DIRECTORY.length === 0 ? undefined : createAcmeIssuer(options, keys);
  const isLocal = (hostname: string) => local?.names.some((name) => isBelow(hostname, name)) === true;
  return { keys, issuerFor: (hostname) => (isLocal(hostname) ? local?.issuer : acme) };
}

/** A typing error in the name of an authority would leave its limit or its account out. */
function refuseUnknownDirectories(config: Config): void {
  for (const name of ['ACME_ORDERS_PER_3H', 'ACME_EXTERNAL_ACCOUNTS'] as const) {
    const unknown = Object.keys(config[name]).find((url) => !config.ACME_DIRECTORY.includes(url));
    if (unknown !== undefined)
      throw new ConfigError(`${name} names ${unknown}, which is not in ACME_DIRECTORY.`);
  }
}

function createAcmeIssuer({ config, database, storage }: DatabaseProcessOptions, keys: KeyRing): Issuer {
  const lookUp = createLookUp(config.DNS_SERVERS);
  const checking = { lookUp, diagnose: createDiagnose(lookUp) };
  const proving = { storage, freshMs: config.SITE_FRESH_MS, port: config.CHALLENGE_PORT };
  return new AcmeIssuer({
    database,
    keys,
    servers: config.ACME_DIRECTORY.map((directoryUrl) => acmeServer(config, directoryUrl)),
    userAgent: `waypost/${packageJson.version}`,
    checkHostname: (request, caaIdentities) => checkHostname(checking, request, caaIdentities),
    proveControl: (attempt) => proveControl(proving, attempt),
    removeChallenge: (hostname) => removeChallenge(storage, hostname),
  });
}

function acmeServer(config: Config, directoryUrl: string): LimitedServer {
  const { ACME_PROFILE: profile, ACME_CONTACT, ACME_EXTERNAL_ACCOUNTS, ACME_ORDERS_PER_3H } = config;
  const contact = ACME_CONTACT.map((address) => `mailto:${address}`);
  return {
    ...{ directoryUrl, profile, contact, externalAccount: ACME_EXTERNAL_ACCOUNTS[directoryUrl] },
    ordersPer3h: ACME_ORDERS_PER_3H[directoryUrl] ?? ORDERS_PER_3H,
  };
}
