/**
 * API, hosting and jobs in one process, on an embedded Postgres and a folder. `npm start` runs it on a fresh machine.
 * The first start makes a demo account. Every start prints commands to try.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { prepareDemoAccount, readDemo } from './compose/demo-account.ts';
import { keyRingOf } from './compose/key-ring-of.ts';
import { openApi } from './compose/open-api.ts';
import { openAuthorities } from './compose/open-authorities.ts';
import { openDatabase } from './compose/open-database.ts';
import { openHosting } from './compose/open-hosting.ts';
import { openLivePlans } from './compose/open-live-plans.ts';
import { openProcess } from './compose/open-process.ts';
import { makeOwnFolder, openFolder } from './compose/open-storage.ts';
import { ownStorage, reportForeign } from './compose/own-storage.ts';
import { startJobs } from './compose/start-jobs.ts';
import { type Config, readConfig } from './core/config/config.ts';
import { migrate } from './core/schema/migrate.ts';
import { readProviders } from './edges/dashboard/oidc/read-providers.ts';
import { createSignInLink } from './features/accounts/create-sign-in-link.ts';
import { LINK_MINUTES } from './features/accounts/link-store.ts';
import { readPlans } from './features/accounts/plans.ts';
import { CA_FILE, openLocalAuthority } from './features/certificates/local-authority.ts';
import { TRIAL_NAMES } from './features/domains/hostname.ts';
import { openOperations, ownMetrics } from './operations/open-operations.ts';
import { newId } from './platform/ids.ts';
import { newKeyRingText } from './platform/key-ring.ts';
import { createDatabasePool, type Database } from './platform/postgres/database.ts';
import { startEmbeddedPostgres } from './platform/postgres/embedded-postgres.ts';
import { environment } from './platform/process/environment.ts';
import { print } from './platform/process/print.ts';
import { runProcess } from './platform/process/run-process.ts';
import { secretFile } from './platform/process/secret-file.ts';
import { shellWord } from './platform/process/shell-word.ts';

/** The HTTPS port by default. Separate processes have no default for this setting: HTTPS is off without it. */
const TLS_PORT = 8443;

await runProcess(async (scope) => {
  const given = readConfig(environment());
  const defaults = readPlans(given.PLANS);
  const folder = resolve(given.DATA_DIR);
  print(`Starting on ${given.DATA_DIR} …`);

  const objects = join(folder, 'objects');
  const makeObjects = () => makeOwnFolder(objects, 'DATA_DIR');
  // With a database, the folder of the objects was there once.
  if (!existsSync(join(folder, 'postgres'))) await makeObjects();
  const opened = await openProcess('all-in-one', given, scope, () => openFolder(objects, 'DATA_DIR'));
  const config = await withOwnSecrets(given, folder);
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { log: opened.log });
  scope.defer(() => postgres.stop());
  const migration = createDatabasePool(postgres.url, 2, opened.log, 0);
  await migrate(migration).finally(() => migration.end());

  const database = openDatabase(postgres.url, opened);
  const { storage, check } = ownStorage(opened.storage, database, makeObjects);
  const common = { ...opened, config, storage };
  await reportForeign(check, opened.log);
  const livePlans = await openLivePlans({ ...common, database, defaults });
  const isOpen = await openOperations({ ...common, database }, ownMetrics(common.metrics, config));
  const { port: hostingPort, securePort } = await openHosting(common);
  const isOriginSet = Boolean(environment().PUBLIC_ORIGIN);
  const publicOrigin = isOriginSet ? config.PUBLIC_ORIGIN : `http://{hostname}:${hostingPort}`;
  const secureOrigin = isOriginSet ? undefined : `https://{hostname}:${securePort}`;
  const cnameTargets = {
    base: config.CNAME_BASE ?? 'cname.waypost.localhost',
    secret: config.CNAME_SECRET ?? (await secretFile(join(folder, 'cname-secret'))),
  };
  const options = { ...common, database, publicOrigin, secureOrigin };
  const urlOf = (port: number, scheme = 'http') => {
    return `${scheme}://${reachableAddress(config.BIND_ADDRESS)}:${port}`;
  };
  const beforeHealthy = (port: number) =>
    prepareDemoAccount(database, join(folder, 'demo.json'), {
      apiUrl: urlOf(port),
      hostingUrl: urlOf(hostingPort),
      httpsUrl: urlOf(securePort!, 'https'),
    });
  const ownOrigin = (port: number) => urlOf(port);
  const api = { ...options, livePlans, cnameTargets, trialNames: TRIAL_NAMES, ownOrigin, beforeHealthy };
  const apiPort = await openApi(api);
  const issuer = await openLocalAuthority(folder, TRIAL_NAMES);
  const DASHBOARD_ORIGIN = config.DASHBOARD_ORIGIN ?? ownOrigin(apiPort);
  const ofJobs = { ...options, config: { ...config, DASHBOARD_ORIGIN } };
  const authorities = openAuthorities(options, keyRingOf(config), { issuer, names: TRIAL_NAMES });
  await startJobs(ofJobs, livePlans.plans, authorities);
  isOpen();
  printWelcome(urlOf(apiPort), { hostingPort, securePort: securePort! }, config.DATA_DIR);
  await printDashboard(database, config, DASHBOARD_ORIGIN);
  print('\nCtrl+C ends it.');
});

/**
 * Adds the HTTPS port, the dashboard's origin and the secrets that the folder keeps. So HTTPS, webhooks and the dashboard need no settings
 * here.
 */
async function withOwnSecrets(config: Config, folder: string): Promise<Config> {
  const { API_TLS_PORT, API_HOSTNAME } = config;
  return {
    ...config,
    DASHBOARD_ORIGIN:
      config.DASHBOARD_ORIGIN ??
      (API_TLS_PORT === undefined ? undefined : `https://${API_HOSTNAME}:${API_TLS_PORT}`),
    HOSTING_TLS_PORT: config.HOSTING_TLS_PORT ?? TLS_PORT,
    CERTIFICATE_KEYS:
      config.CERTIFICATE_KEYS ?? (await secretFile(join(folder, 'certificate-keys'), newKeyRingText)),
    WEBHOOK_SECRET: config.WEBHOOK_SECRET ?? (await secretFile(join(folder, 'webhook-secret'))),
    DASHBOARD_SECRET: config.DASHBOARD_SECRET ?? (await secretFile(join(folder, 'dashboard-secret'))),
  };
}

/** Returns an address that every system can connect to. Not every system can connect to a wildcard address. */
function reachableAddress(bindAddress: string): string {
  if (bindAddress === '0.0.0.0' || bindAddress === '::') return '127.0.0.1';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}

function printWelcome(
  apiUrl: string,
  { hostingPort, securePort }: { readonly hostingPort: number; readonly securePort: number },
  folder: string,
): void {
  const demoFile = join(folder, 'demo.json');
  print(`
Waypost is running. API: ${apiUrl}   hosting: port ${hostingPort}, HTTPS: port ${securePort}
The demo account's key is in ${demoFile}. To try it, paste:

  KEY=$(sed -n 's/.*"apiKey": "\\(.*\\)".*/\\1/p' ${shellWord(demoFile)})
  curl -s ${apiUrl}/api/domains -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
    -d '{"hostname":"demo.localhost"}'
  ID=$(curl -s ${apiUrl}/api/domains -H "X-API-Key: $KEY" | sed 's/.*"id":"\\([^"]*\\)","hostname":"demo.localhost".*/\\1/')
  curl -s -X POST ${apiUrl}/api/domains/$ID/verify -H "X-API-Key: $KEY"
  curl -s ${apiUrl}/api/sitemap/generate -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
    -d '{"domain":"demo.localhost","urls":[{"loc":"https://www.example.com/","priority":0.8}]}'
  curl -sL --compressed --cacert ${shellWord(join(folder, CA_FILE))} http://demo.localhost:${hostingPort}/sitemap.xml`);
}

/** Prints the address of the dashboard, as a one-time link to the demo account unless people sign in with a provider. */
async function printDashboard(database: Database, config: Config, origin: string): Promise<void> {
  const demo = await readDemo(join(config.DATA_DIR, 'demo.json'));
  const hasProviders = readProviders(config).length > 0;
  const link = hasProviders
    ? undefined
    : await createSignInLink({ database, newId }, demo?.accountId ?? '', origin);
  print(`\nDashboard: ${link ?? `${origin}/dashboard`}`);
  if (link !== undefined)
    print(`It works once, within ${LINK_MINUTES} minutes. For another one: npm run cli -- sign-in`);
}
