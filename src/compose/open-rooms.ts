/** Opens the rooms whose functions the API and the dashboard call, and limits how much of the process each room may use. */
import type { Config } from '../core/config/config.ts';
import type { WebComplaints } from '../core/web/complaints.ts';
import { openAccounts } from '../features/accounts/open-accounts.ts';
import { openAdmission } from '../features/accounts/open-admission.ts';
import type { LivePlans } from '../features/accounts/open-plans.ts';
import type { Plans } from '../features/accounts/plans.ts';
import { findCertificateSummary } from '../features/certificates/certificate-store.ts';
import { openChanges } from '../features/changes/open-changes.ts';
import { openDeltaRecord } from '../features/changes/record-delta.ts';
import { type Connections, openConnections } from '../features/connections/open-connections.ts';
import { listCrawlsByDay } from '../features/crawls/crawl-store.ts';
import { openCrawls } from '../features/crawls/open-crawls.ts';
import { caaIdentitiesOf } from '../features/domains/caa.ts';
import type { CnameTargets } from '../features/domains/cname-target.ts';
import { createDiagnose } from '../features/domains/diagnose-domain.ts';
import { openDomains } from '../features/domains/open-domains.ts';
import { openFind } from '../features/find/open-find.ts';
import { createClaims } from '../features/idempotency/claims.ts';
import { openNeeds } from '../features/needs/open-needs.ts';
import { openPageHosts } from '../features/page-hosts/open-page-hosts.ts';
import { recordPageHosts } from '../features/page-hosts/record-page-hosts.ts';
import { takeWarnings } from '../features/page-hosts/take-warnings.ts';
import { openRecent } from '../features/recent/open-recent.ts';
import { deriveHashSeed } from '../features/sites/file-hashes.ts';
import type { Sites } from '../features/sites/open-sites.ts';
import { createOpenOutbox } from '../features/submission/open-outbox.ts';
import { openSubmission } from '../features/submission/open-submission.ts';
import type { LoadReports } from '../features/uploads/loads/load-work.ts';
import { openUploads, type Uploads } from '../features/uploads/open-uploads.ts';
import { openUsage } from '../features/usage/open-usage.ts';
import { openMail } from '../features/webhooks/mail/open-mail.ts';
import { openWebhooks, type Webhooks } from '../features/webhooks/open-webhooks.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { newId } from '../platform/ids.ts';
import { verbsOn } from '../platform/verb.ts';
import { connectionsFor } from './connection-shares.ts';
import { domainLife } from './domain-life.ts';
import { keyRingOf } from './key-ring-of.ts';
import type { DatabaseProcessOptions } from './open-database.ts';
import { openOutbound, openOutboundReads } from './open-outbound.ts';
import { openProcessSites } from './open-process-sites.ts';

/** The options that the program gives the API. */
export interface ApiTerms extends DatabaseProcessOptions {
  readonly livePlans: LivePlans;
  readonly cnameTargets: CnameTargets;
  /** The names of special use below which customers may register (features/domains/hostname.ts). */
  readonly trialNames: readonly string[];
}

export interface OpenRoomsOptions extends ApiTerms, Omit<ProcessUploadsOptions, 'plans'> {
  readonly complain: WebComplaints;
}

export type Rooms = ReturnType<typeof openRooms>;

/** The most concurrent diagnoses: some 200 sockets, of the 1,024 that a process often has. */
const DIAGNOSES_AT_ONCE = 20;
/** The most concurrent checks of key files. Each may take 10 s. */
const KEY_CHECKS_AT_ONCE = 20;

export function openRooms(given: OpenRoomsOptions) {
  const { plans } = given.livePlans;
  const options = { ...given, plans };
  const { config, database, log, cnameTargets, trialNames } = options;
  const ask = openOutbound(options);
  const lookUp = createLookUp(config.DNS_SERVERS);
  const sites = openProcessSites(options, 'sites of the API');
  const webhooks = openWebhooks(options);
  const connections = openConnections({ database, keys: keyRingOf(config) });
  return {
    ask,
    accounts: openAccounts({ database, newId }),
    admission: openAdmission({
      ...options,
      failuresPerMinute: config.AUTH_FAILURES_PER_MINUTE,
      requestsPerMinute: config.DASHBOARD_REQUESTS_PER_MINUTE,
      unknownAtOnce: {
        keys: connectionsFor('unknown keys', config),
        sessions: connectionsFor('unknown sessions', config),
      },
      uploads: { perAccount: config.UPLOADS_PER_ACCOUNT, perProcess: config.UPLOADS_PER_PROCESS },
    }),
    claims: createClaims({ database, secret: cnameTargets.secret, log }),
    ensureWritten: sites.ensureWritten,
    rebuildSite: sites.rebuild,
    uploads: openProcessUploads(options, { sites, connections, webhooks }),
    domains: openDomains({
      ...{ database, newId, cnameTargets, ...domainLife(sites) },
      hostnameRules: { reserved: reservedHostnames(config, cnameTargets.base), trialNames },
      lookUp,
      diagnose: createDiagnose(lookUp, caaIdentitiesOf(config.ACME_DIRECTORY)),
      diagnosisTurns: new Turns(DIAGNOSES_AT_ONCE),
    }),
    submission: openSubmission({
      ...{ database, ask, openChange: sites.openChange },
      isConfigured: config.INDEXNOW_ENDPOINT !== undefined,
      checkTurns: new Turns(KEY_CHECKS_AT_ONCE),
    }),
    webhooks,
    connections,
    mail: openMail({
      ...{ database, newId },
      master: config.SMTP_URL === undefined ? undefined : config.WEBHOOK_SECRET,
    }),
    changes: openChanges(options),
    find: openFind(options),
    crawls: openCrawls(database),
    usage: openUsage(database),
    needs: openNeeds({ database, plans }),
    recent: openRecent({ database, openChange: sites.openChange }),
    pageHosts: openPageHosts(database),
    ...verbsOn(database, { findCertificate: findCertificateSummary, listCrawlsByDay }),
  };
}

/** Returns the names that customers cannot register: those of the operator, and our own. The names below them are reserved, too. */
function reservedHostnames({ RESERVED_HOSTNAMES, API_HOSTNAME }: Config, cnameBase: string): string[] {
  return [...RESERVED_HOSTNAMES, cnameBase, ...(API_HOSTNAME === undefined ? [] : [API_HOSTNAME])];
}

/** The longest pause before a load tries an object again. */
const LONGEST_WAIT_MS = 60_000;

interface ProcessUploadsOptions extends DatabaseProcessOptions {
  readonly plans: Plans;
  readonly cnameTargets: CnameTargets;
  readonly reports: LoadReports;
  /** The work that continues after the answer to its request. */
  readonly underWay: Set<Promise<unknown>>;
}

interface RoomsOfUploads {
  readonly sites: Sites;
  readonly connections: Connections;
  readonly webhooks: Webhooks;
}

function openProcessUploads(
  options: ProcessUploadsOptions,
  { sites, connections, webhooks }: RoomsOfUploads,
): Uploads {
  const { config, database, storage, cnameTargets, plans, reports } = options;
  const openSink = config.INDEXNOW_ENDPOINT === undefined ? async () => undefined : createOpenOutbox(options);
  return openUploads({
    ...{ ...options, sites, takeWarnings },
    keepReplacedMs: config.KEEP_REPLACED_MS,
    threads: config.RENDER_THREADS,
    transcodes: config.TRANSCODE_ENTRIES,
    hashSeed: deriveHashSeed(cnameTargets.secret),
    perAccount: config.UPLOADS_PER_ACCOUNT,
    apart: connectionsFor('small uploads apart', config),
    loading: {
      reader: {
        read: openOutboundReads(options),
        random: Math.random,
        maxBytes: config.MAX_UPLOAD_BYTES,
        idleMs: config.UPLOAD_STALL_TIMEOUT_MS,
        maxWaitMs: LONGEST_WAIT_MS,
      },
      ...{ plans, reports },
      reachStore: connections.reach,
      emitRefused: webhooks.emitRefusedUpload,
    },
    deltaBytesPerMinute: config.DELTA_BYTES_PER_MINUTE,
    ...verbsOn({ database, storage, openSink, onCounted: recordPageHosts }, { openDeltaRecord }),
  });
}
