/**
 * Pebble, the test server for ACME, with its own DNS server (pebble-challtestsrv), all on loopback and on free ports.
 * Both are on the PATH, or in the folder PEBBLE_BIN. Pebble checks no CAA and has no rate limits. acme-front.ts adds these.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from './soon.ts';
import { TEST_AUTHORITY, testServerKeys } from './test-authority.ts';

export interface PebbleOptions {
  /** Where Pebble checks http-01 challenges: the plain port of hosting. */
  readonly httpPort?: number;
  /** For example PEBBLE_WFE_NONCEREJECT: '50'. By default, Pebble checks challenges at once and accepts all good nonces. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The validity of certificates in seconds, by the profile's name. */
  readonly profiles?: Readonly<Record<string, number>>;
  /** HMAC keys in base64url, by key id. With these, an ACME account needs an external account. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
  /** Hostnames that Pebble refuses. */
  readonly blocked?: readonly string[];
  /** How long Pebble asks clients to wait between two requests. */
  readonly retryAfterSeconds?: number;
  readonly strict?: boolean;
}

export interface Pebble extends AsyncDisposable {
  readonly port: number;
  readonly directoryUrl: string;
  readonly managementUrl: string;
  /** For example 127.0.0.1:8053. Names without records have the address 127.0.0.1. */
  readonly dnsServer: string;
  /** The authority of Pebble's own HTTPS, for NODE_EXTRA_CA_CERTS or `curl --cacert`. It does not issue Pebble's certificates. */
  readonly caFile: string;
  readonly httpPort: number;
  readonly dns: PebbleDns;
  /** The root of the certificates that Pebble issues, as PEM. */
  root(): Promise<string>;
  /** Sets the window that Pebble suggests for the renewal of the certificate (PEM). */
  setRenewalWindow(certificate: string, start: Date, end: Date): Promise<void>;
}

/** Records of the DNS server that Pebble asks. Without values, the records of the name are removed. */
export interface PebbleDns {
  a(host: string, addresses?: readonly string[]): Promise<void>;
  aaaa(host: string, addresses?: readonly string[]): Promise<void>;
  cname(host: string, target?: string): Promise<void>;
  txt(host: string, value?: string): Promise<void>;
  caa(host: string, policies?: readonly { tag: string; value: string }[]): Promise<void>;
  /** Makes all questions for the name fail, or succeed again. */
  serverFailure(host: string, fails: boolean): Promise<void>;
}

const PROFILES = { tlsserver: 45 * 86_400, shortlived: 160 * 3600, minute: 60 };

export async function startPebble(options: PebbleOptions = {}): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-pebble-'));
  await using scope = new AsyncDisposableStack();
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const ports = await freePorts();
  const { port } = ports;
  const httpPort = options.httpPort ?? ports.httpPort;
  const caFile = join(folder, 'ca.pem');
  await Promise.all([
    writeFile(caFile, TEST_AUTHORITY.certificate),
    writeFile(join(folder, 'cert.pem'), testServerKeys.cert),
    writeFile(join(folder, 'key.pem'), testServerKeys.key),
    writeFile(
      join(folder, 'pebble.json'),
      JSON.stringify(configuration(folder, options, { ...ports, httpPort })),
    ),
  ]);
  const dnsServer = `127.0.0.1:${ports.dns}`;
  const none = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', '', '-defaultIPv6', ''];
  const dnsArguments = ['-dnsserver', dnsServer, '-management', `127.0.0.1:${ports.dnsManagement}`, ...none];
  const dns = run('pebble-challtestsrv', [...dnsArguments, '-defaultIPv4', '127.0.0.1'], {}, folder);
  scope.defer(() => dns.stop());
  const strict = `-strict=${options.strict ?? true}`;
  const environment = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', ...options.environment };
  const pebble = run(
    'pebble',
    ['-config', 'pebble.json', '-dnsserver', dnsServer, strict],
    environment,
    folder,
  );
  scope.defer(() => pebble.stop());

  const directoryUrl = `https://localhost:${port}/dir`;
  const managementUrl = `https://localhost:${ports.management}`;
  const dnsManagementUrl = `http://127.0.0.1:${ports.dnsManagement}`;
  await pebble.answers(() => ask(directoryUrl));
  await dns.answers(() => post(dnsManagementUrl, '/clear-a', { host: 'ready.example' }));
  const running = scope.move();
  return {
    port,
    directoryUrl,
    managementUrl,
    dnsServer,
    caFile,
    httpPort,
    dns: dnsRecords((path, body) => post(dnsManagementUrl, path, body)),
    root: () => ask(`${managementUrl}/roots/0`),
    setRenewalWindow: async (certificate, start, end) => {
      const window = { suggestedWindow: { start, end } };
      const body = { certificate, ariResponse: JSON.stringify(window) };
      await ask(`${managementUrl}/set-renewal-info/`, JSON.stringify(body));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function configuration(
  folder: string,
  { profiles = PROFILES, externalAccounts, blocked = [], retryAfterSeconds = 1 }: PebbleOptions,
  { port, management, httpPort }: Ports,
): object {
  const described = Object.entries(profiles).map(([name, validityPeriod]) => [
    name,
    { description: `${validityPeriod} s`, validityPeriod },
  ]);
  return {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: join(folder, 'cert.pem'),
      privateKey: join(folder, 'key.pem'),
      httpPort,
      tlsPort: 1,
      ocspResponderURL: '',
      externalAccountBindingRequired: externalAccounts !== undefined,
      externalAccountMACKeys: externalAccounts ?? {},
      domainBlocklist: blocked,
      retryAfter: { authz: retryAfterSeconds, order: retryAfterSeconds },
      keyAlgorithm: 'ecdsa',
      profiles: Object.fromEntries(described),
    },
  };
}

function dnsRecords(call: (path: string, body: object) => Promise<void>): PebbleDns {
  const set = (kind: string, host: string, value: object | undefined, verb = 'add') =>
    call(value === undefined ? `/clear-${kind}` : `/${verb}-${kind}`, { host, ...value });
  return {
    a: (host, addresses) => set('a', host, addresses && { addresses }),
    aaaa: (host, addresses) => set('aaaa', host, addresses && { addresses }),
    cname: (host, target) => set('cname', host, target === undefined ? undefined : { target }, 'set'),
    // The server wants these names with a trailing dot.
    txt: (host, value) => call(value === undefined ? '/clear-txt' : '/set-txt', { host: `${host}.`, value }),
    caa: (host, policies) => set('caa', host, policies && { policies }),
    serverFailure: (host, fails) => set('servfail', host, fails ? {} : undefined, 'set'),
  };
}

interface Program {
  /** Repeats `attempt` until it resolves. Throws with the log if the program ends before. */
  answers(attempt: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

function run(
  name: string,
  args: readonly string[],
  environment: Record<string, string>,
  cwd: string,
): Program {
  const { PEBBLE_BIN } = process.env;
  const command = PEBBLE_BIN === undefined ? name : join(PEBBLE_BIN, name);
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      log = (log + chunk).slice(-10_000);
    });
  }
  const ended = once(child, 'close').catch(() => {});
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  return {
    async answers(attempt) {
      const until = performance.now() + SOON.timeout;
      for (;;) {
        const failure = await attempt().then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (failure === undefined) return;
        if (hasEnded() || performance.now() > until) {
          throw new Error(`${name} did not start: ${log}`, { cause: failure.error });
        }
        await delay(SOON.interval);
      }
    },
    async stop() {
      if (hasEnded()) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Ports {
  readonly port: number;
  readonly management: number;
  readonly dns: number;
  readonly dnsManagement: number;
  readonly httpPort: number;
}

async function freePorts(): Promise<Ports> {
  const [port, management, dns, dnsManagement, httpPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  return { port, management, dns, dnsManagement, httpPort };
}

async function post(url: string, path: string, body: object): Promise<void> {
  const { ok, status } = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  if (!ok) throw new Error(`${path} answered ${status}`);
}

/** Sends a GET, or a POST if there is a body. */
async function ask(url: string, body?: string): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { 'user-agent': 'waypost-test' };
  const request = https
    .request(url, { method, headers, ca: TEST_AUTHORITY.certificate, agent: false })
    .end(body);
  const [answer] = await once(request, 'response');
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
  return text;
}
