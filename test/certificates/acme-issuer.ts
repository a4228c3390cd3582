/** An issuer that asks Pebble, its DNS and our hosting. It needs no test runner, so other processes can have one too. */
import { AcmeIssuer } from '../../src/features/certificates/acme-issuer.ts';
import { checkHostname } from '../../src/features/certificates/pre-flight.ts';
import { proveControl, removeChallenge } from '../../src/features/certificates/prove-control.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import type { KeyRing } from '../../src/platform/key-ring.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import type { Pebble } from '../support/pebble.ts';
import { SOON } from '../support/soon.ts';

/** The time for which hosting may use its cached state, in ms. */
export const FRESH_MS = 20;

export interface AcmeWorld {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly keys: KeyRing;
  readonly pebble: Pick<Pebble, 'dnsServer' | 'httpPort'>;
  readonly directories: readonly string[];
  readonly timeoutMs?: number;
}

export function acmeIssuer(world: AcmeWorld): AcmeIssuer {
  const { database, storage, keys, pebble, directories, timeoutMs = SOON.timeout } = world;
  const lookUp = createLookUp([pebble.dnsServer]);
  const checking = { lookUp, diagnose: createDiagnose(lookUp) };
  return new AcmeIssuer({
    ...{ database, keys, timeoutMs },
    servers: directories.map((directoryUrl) => ({ directoryUrl, profile: 'tlsserver', ordersPer3h: 250 })),
    userAgent: 'waypost-test',
    checkHostname: (request, caaIdentities) => checkHostname(checking, request, caaIdentities),
    proveControl: (attempt) => proveControl({ storage, freshMs: FRESH_MS, port: pebble.httpPort }, attempt),
    removeChallenge: (hostname) => removeChallenge(storage, hostname),
  });
}
