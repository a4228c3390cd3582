/** Everything that issuing needs: Postgres, a store, hosting over HTTP, Pebble behind its DNS. */
import { afterAll } from 'vitest';
import { AcmeIssuer } from '../../src/certificates/acme-issuer.ts';
import { requestCertificate } from '../../src/certificates/certificate-store.ts';
import type { IssuanceOutcome, IssueCertificateOptions } from '../../src/certificates/issue-certificate.ts';
import type { Issuer } from '../../src/certificates/issuer.ts';
import { checkHostname } from '../../src/certificates/pre-flight.ts';
import { proveControl, removeChallenge } from '../../src/certificates/prove-control.ts';
import { createDiagnose } from '../../src/domains/diagnose-domain.ts';
import type { Domain } from '../../src/domains/domain.ts';
import { createHosting } from '../../src/hosting/create-hosting.ts';
import { createLookUp } from '../../src/platform/dns/look-up.ts';
import { closeServer, listen } from '../../src/platform/http/http-server.ts';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { createChangeSite } from '../../src/sites/change-site.ts';
import { writeSite } from '../../src/sites/write-site.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { type Pebble, type PebbleOptions, startPebble } from '../support/pebble.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { trustTestServers } from '../support/test-authority.ts';
import { createTestDatabase } from '../support/test-database.ts';

const FRESH_MS = 20;

export async function createIssuanceWorld(pebbleOptions: PebbleOptions = {}) {
  trustTestServers();
  const { database, url } = await createTestDatabase();
  const storage = await openFolderStorage(await createTemporaryFolder());
  const { server } = createHosting({ storage, siteFreshMs: FRESH_MS, log: collectLog() });
  const httpPort = await listen(server, { address: '127.0.0.1', port: 0, variable: 'PORT' });
  afterAll(() => closeServer(server, { graceMs: 0, idleMs: 0 }));
  const pebble = await startPebble({ httpPort, ...pebbleOptions });
  afterAll(() => pebble[Symbol.asyncDispose]());
  const keys = new KeyRing(newKeyRingText());
  const account = await addAccount(database);
  const acme = (directories: readonly string[] = [pebble.directoryUrl]) =>
    acmeIssuer({ database, storage, keys, pebble, directories });
  const outcomes: IssuanceOutcome[] = [];
  const log = collectLog();
  const optionsWith = (issuer: Issuer): IssueCertificateOptions => ({
    database,
    authorities: { keys, issuerFor: () => issuer },
    changeSite: createChangeSite({
      database,
      writeSite: (hostname) =>
        writeSite({ database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: 1000 }, hostname),
    }),
    random: Math.random,
    log,
    report: (outcome) => void outcomes.push(outcome),
  });

  /** A verified domain whose certificate is due, with a CNAME record that leads to us. */
  async function addDueDomain(): Promise<Domain> {
    const domain = await addVerifiedDomain(database, account);
    await pebble.dns.cname(domain.hostname, domain.cnameTarget);
    await inTransaction(database, (transaction) => requestCertificate(transaction, domain));
    return domain;
  }

  return { database, url, storage, pebble, keys, account, acme, outcomes, log, optionsWith, addDueDomain };
}

export interface AcmeWorld {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly keys: KeyRing;
  readonly pebble: Pick<Pebble, 'dnsServer' | 'httpPort'>;
  readonly directories: readonly string[];
}

export function acmeIssuer({ database, storage, keys, pebble, directories }: AcmeWorld): AcmeIssuer {
  const diagnose = createDiagnose(createLookUp([pebble.dnsServer]));
  return new AcmeIssuer({
    database,
    keys,
    servers: directories.map((directoryUrl) => ({ directoryUrl, profile: 'tlsserver' })),
    userAgent: 'waypost-test',
    checkHostname: (request, caaIdentities) => checkHostname(diagnose, request, caaIdentities),
    proveControl: (attempt) => proveControl({ storage, freshMs: FRESH_MS, port: pebble.httpPort }, attempt),
    removeChallenge: (hostname) => removeChallenge(storage, hostname),
  });
}
