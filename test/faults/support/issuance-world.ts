/**
 * Postgres, S3 and Pebble behind proxies that break calls, for a process that issues certificates: the victim. The
 * survivor, which goes on, reaches them directly, and so does hosting.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createHosting } from '../../../src/edges/hosting/create-hosting.ts';
import { createAccount } from '../../../src/features/accounts/create-account.ts';
import {
  findCertificateSummary,
  requestCertificates,
} from '../../../src/features/certificates/certificate-store.ts';
import type { Domain } from '../../../src/features/domains/domain.ts';
import { findDomain } from '../../../src/features/domains/domain-store.ts';
import {
  certificateKey,
  challengeKey,
  hostCertificateSchema,
  openCertificate,
} from '../../../src/features/sites/certificate.ts';
import { readSite } from '../../../src/features/sites/read-site.ts';
import { closeServer, listen } from '../../../src/platform/http/http-server.ts';
import { newId } from '../../../src/platform/ids.ts';
import { KeyRing, newKeyRingText } from '../../../src/platform/key-ring.ts';
import { type Database, inTransaction } from '../../../src/platform/postgres/database.ts';
import { readObject } from '../../../src/platform/storage/object-storage.ts';
import { FRESH_MS } from '../../certificates/acme-issuer.ts';
import { addVerifiedDomain } from '../../support/accounts.ts';
import { type AcmeFront, startAcmeFront } from '../../support/acme-front.ts';
import { collectLog } from '../../support/collect-log.ts';
import type { FaultProxy } from '../../support/fault-proxy.ts';
import { startPebble } from '../../support/pebble.ts';
import { trustTestServers } from '../../support/test-authority.ts';
import { type IssuanceTask, type Issuing, type IssuingSettings, openIssuing } from './issuing.ts';
import { storedKeys } from './own-stores.ts';
import { openProxiedStores } from './proxied-stores.ts';
import { startWarmProcesses, type WarmProcess } from './warm-processes.ts';

export interface IssuanceWorld extends AsyncDisposable {
  readonly database: Database;
  readonly postgres: FaultProxy;
  readonly s3: FaultProxy;
  readonly front: AcmeFront;
  /** Returns a victim in a process of its own. The process was started before. */
  nextVictim(): Promise<WarmProcess<IssuanceTask>>;
  /** The victim's work on a domain. */
  taskOf(domain: Domain): IssuanceTask;
  /** Opens a victim in this process, with connections of its own. */
  openVictim(): Issuing;
  addDueDomain(): Promise<Domain>;
  /** Active, with a certificate that is 41 days old. */
  addDomainToRenew(): Promise<Domain>;
  /** Leases end, pauses end, jobs run, and attempts come until the domain is as it should be. */
  goOn(domain: Domain): Promise<void>;
  /** Throws unless everything is as after an undisturbed issuance. */
  check(domain: Domain): Promise<void>;
}

const MAX_ATTEMPTS = 6;

export async function startIssuanceWorld(): Promise<IssuanceWorld> {
  await using scope = new AsyncDisposableStack();
  trustTestServers();
  const stores = await openProxiedStores(scope);
  const { database, storage, postgres, s3 } = stores;
  const { server } = createHosting({ storage, siteFreshMs: FRESH_MS, log: collectLog() });
  const httpPort = await listen(server, { address: '127.0.0.1', port: 0, variable: 'PORT' });
  scope.defer(() => closeServer(server, { graceMs: 0, idleMs: 0 }));
  const pebble = scope.use(await startPebble({ httpPort, retryAfterSeconds: 0 }));
  const front = scope.use(await startAcmeFront(pebble.port));
  const keyText = newKeyRingText();
  const keys = new KeyRing(keyText);
  const others = {
    ...{ keys: keyText, directory: front.directoryUrl },
    pebble: { dnsServer: pebble.dnsServer, httpPort },
  };
  const throughProxies: IssuingSettings = { ...stores.throughProxies, ...others };
  const survivor = scope.use(openIssuing({ ...stores.direct, ...others }));
  const accountId = await createAccount(database, newId, 'faults', 'enterprise');

  const nextVictim = startWarmProcesses<IssuanceTask>('issue-once.ts', scope, {
    NODE_EXTRA_CA_CERTS: pebble.caFile,
  });
  const opened = scope.move();

  async function addDueDomain(): Promise<Domain> {
    const domain = await addVerifiedDomain(database, accountId);
    await pebble.dns.cname(domain.hostname, domain.cnameTarget);
    await inTransaction(database, (transaction) => requestCertificates(transaction, [domain]));
    return domain;
  }

  return {
    ...{ database, postgres, s3, front, addDueDomain },
    nextVictim,
    taskOf: ({ id: domainId }) => ({ ...throughProxies, domainId }),
    openVictim: () => openIssuing(throughProxies),
    async addDomainToRenew() {
      const domain = await addDueDomain();
      await survivor.issue(domain.id);
      const times = ['not_before', 'not_after', 'renew_at', 'due_at'];
      const set = times.map((column) => `${column} = ${column} - interval '41 days'`).join(', ');
      await database.query(`UPDATE certificates SET ${set}, ari_check_at = NULL WHERE domain_id = $1`, [
        domain.id,
      ]);
      return domain;
    },
    async goOn({ id, hostname }) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        await database.query('UPDATE acme_accounts SET paused_until = NULL, order_tokens = 250');
        await database.query('UPDATE certificates SET leased_until = NULL WHERE domain_id = $1', [id]);
        const { rowCount } = await database.query(
          `UPDATE certificates SET due_at = least(due_at, now())
            WHERE domain_id = $1 AND (due_at = renew_at AND due_at > now()) IS NOT TRUE`,
          [id],
        );
        if (rowCount === 0) break;
        await survivor.issue(id);
      }
      // Does the work of the sweep of changed sites.
      await survivor.writeSite(hostname);
    },
    async check({ id, hostname }) {
      const { status, sslStatus } = (await findDomain(database, id))!;
      const summary = (await findCertificateSummary(database, id))!;
      const { rows } = await database.query(
        `SELECT chain, order_url AS "orderUrl", leased_until > now() AS "isLeased", failures,
                not_after > now() + interval '40 days' AS "isNew" FROM certificates WHERE domain_id = $1`,
        [id],
      );
      const [{ chain, ...row }] = rows;
      const bytes = await readObject(storage, certificateKey(hostname));
      const stored = hostCertificateSchema.parse(JSON.parse(String(bytes)));
      const leaf = new X509Certificate(stored.chain);
      const key = createPrivateKey({ key: openCertificate(keys, stored), format: 'der', type: 'pkcs8' });
      const challenges = await storedKeys(storage, challengeKey(hostname));
      const seen = {
        ...{ status, sslStatus, ...row },
        ...{ lastError: summary.lastError, challenges, isStored: stored.chain === chain },
        https: (await readSite(storage, hostname))?.https,
        fits: leaf.checkPrivateKey(key),
        isOfHost: leaf.checkHost(hostname) === hostname,
      };
      const wanted = {
        ...{ status: 'active', sslStatus: 'active', orderUrl: null, failures: 0, isNew: true },
        ...{ lastError: null, challenges: [], isStored: true, https: true, fits: true, isOfHost: true },
      };
      for (const [name, value] of Object.entries(wanted)) {
        const found = JSON.stringify(seen[name as keyof typeof seen]);
        if (found !== JSON.stringify(value)) throw new Error(`${name} is ${found}: ${JSON.stringify(seen)}`);
      }
      if (row.isLeased === true) throw new Error('a lease is left');
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
