/** Everything that issuing needs: Postgres, a store, hosting over HTTP, Pebble behind its DNS and two fronts. */
import { afterAll, expect } from 'vitest';
import { createHosting } from '../../src/edges/hosting/create-hosting.ts';
import {
  findCertificateSummary,
  findDelay,
  requestCertificates,
  stopCertificate,
} from '../../src/features/certificates/certificate-store.ts';
import {
  type IssuanceOutcome,
  type IssueCertificateOptions,
  issueCertificate,
} from '../../src/features/certificates/issue-certificate.ts';
import type { Issuer } from '../../src/features/certificates/issuer.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { findDomain } from '../../src/features/domains/domain-store.ts';
import { certificateKey, challengeKey, hostCertificateSchema } from '../../src/features/sites/certificate.ts';
import { openSites } from '../../src/features/sites/open-sites.ts';
import { readSite } from '../../src/features/sites/read-site.ts';
import { closeServer, listen } from '../../src/platform/http/http-server.ts';
import { KeyRing, newKeyRingText } from '../../src/platform/key-ring.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { startAcmeFront } from '../support/acme-front.ts';
import { collectLog } from '../support/collect-log.ts';
import { type PebbleOptions, startPebble } from '../support/pebble.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { trustTestServers } from '../support/test-authority.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { type AcmeWorld, acmeIssuer, FRESH_MS } from './acme-issuer.ts';

/** Call it in a suite that needs Pebble. */
export async function createIssuanceWorld(pebbleOptions: PebbleOptions = {}) {
  trustTestServers();
  const { database, url } = await createTestDatabase();
  const folder = await createTemporaryFolder();
  const storage = await openFolderStorage(folder);
  const { server } = createHosting({ storage, siteFreshMs: FRESH_MS, log: collectLog() });
  const httpPort = await listen(server, { address: '127.0.0.1', port: 0, variable: 'PORT' });
  afterAll(() => closeServer(server, { graceMs: 0, idleMs: 0 }));
  const pebble = await startPebble({ httpPort, retryAfterSeconds: 0, ...pebbleOptions });
  afterAll(() => pebble[Symbol.asyncDispose]());
  const [front, secondFront] = [await startAcmeFront(pebble.port), await startAcmeFront(pebble.port)];
  afterAll(() => front[Symbol.asyncDispose]());
  afterAll(() => secondFront[Symbol.asyncDispose]());
  const keysText = newKeyRingText();
  const keys = new KeyRing(keysText);
  /** For a process of jobs that issues as this one does. */
  const jobsSettings = {
    ...{ DATABASE_URL: url.reveal(), STORAGE_DIR: folder, CERTIFICATE_KEYS: keysText },
    ...{ ACME_DIRECTORY: front.directoryUrl, NODE_EXTRA_CA_CERTS: pebble.caFile },
    ...{ DNS_SERVERS: pebble.dnsServer, CHALLENGE_PORT: String(httpPort), SITE_FRESH_MS: String(FRESH_MS) },
  };
  const account = await addAccount(database);
  const outcomes: IssuanceOutcome[] = [];
  const log = collectLog();
  const shared = { storage, keys, pebble };
  const issuer = acmeIssuer({ ...shared, database, directories: [front.directoryUrl] });
  const optionsWith = (changed: Partial<AcmeWorld> & { issuer?: Issuer } = {}): IssueCertificateOptions => {
    const own = changed.database ?? database;
    const other = { ...shared, database, directories: [front.directoryUrl], ...changed };
    const isOther = Object.keys(changed).length > 0;
    const used = changed.issuer ?? (isOther ? acmeIssuer(other) : issuer);
    return {
      database: own,
      authorities: { keys: changed.keys ?? keys, issuerFor: () => used },
      openChange: sitesOver(own).openChange,
      random: Math.random,
      log,
      report: (outcome) => void outcomes.push(outcome),
    };
  };
  const siteTerms = { storage, log, publicOrigin: 'https://{hostname}', keepReplacedMs: 1000, places: 2 };
  const sitesOver = (own: Database) => openSites({ ...siteTerms, database: own });

  const request = (domain: Domain) =>
    inTransaction(database, (transaction) => requestCertificates(transaction, [domain]));

  /** A verified domain whose certificate is due, with a CNAME record that leads to us. */
  async function addDueDomain(owner = account): Promise<Domain> {
    const domain = await addVerifiedDomain(database, owner);
    await pebble.dns.cname(domain.hostname, domain.cnameTarget);
    await request(domain);
    return domain;
  }

  async function addActiveDomain(): Promise<Domain> {
    const domain = await addDueDomain();
    await issueCertificate(optionsWith(), domain.id);
    expect(outcomes.splice(0)).toEqual(['issued']);
    front.reset();
    return domain;
  }

  /** Makes the certificate older by `ms`. The authority knows its real age, so we do not ask the authority when to renew it. */
  async function passTime(domain: Domain, ms: number): Promise<void> {
    const times = ['not_before', 'not_after', 'renew_at', 'due_at', 'failing_since'];
    const set = times.map((column) => `${column} = ${column} - $2 * interval '1 millisecond'`);
    await database.query(
      `UPDATE certificates SET ari_check_at = NULL, ${set.join(', ')} WHERE domain_id = $1`,
      [domain.id, ms],
    );
  }

  /** Makes the next attempt due, as if its delay had passed. */
  async function passDelay(domain: Domain): Promise<void> {
    const delayMs = await findDelay(database, domain.id);
    if (delayMs === undefined) throw new Error('nothing comes by itself');
    if (delayMs > 0) await passTime(domain, delayMs + 1);
  }

  /** Returns the state of a domain for people and hosting. */
  async function stateOf({ id, hostname }: Domain) {
    const { status, sslStatus, failure } = (await findDomain(database, id)) ?? {};
    const { lastError = null } = (await findCertificateSummary(database, id)) ?? {};
    const site = await readSite(storage, hostname);
    const stored = await readObject(storage, certificateKey(hostname));
    const challenge = await readObject(storage, challengeKey(hostname));
    return {
      state: status && `${status}/${sslStatus}`,
      failure,
      lastError,
      https: site?.https,
      stored: stored && hostCertificateSchema.parse(JSON.parse(stored.toString())),
      hasChallenge: challenge !== undefined,
      delayMs: await findDelay(database, id),
    };
  }

  return {
    ...{
      database,
      url,
      storage,
      sites: sitesOver(database),
      pebble,
      front,
      secondFront,
      keys,
      keysText,
      account,
      outcomes,
      log,
      optionsWith,
    },
    ...{ jobsSettings, request, addDueDomain, addActiveDomain, passTime, passDelay, stateOf },
    issue: (domain: Domain, options = optionsWith()) => issueCertificate(options, domain.id),
    /** Stops the certificate, as when the domain moves away. */
    stop: ({ id }: Domain) => stopCertificate(database, id),
  };
}
