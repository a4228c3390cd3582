/** A hosting server on a free local port, over its own folder storage that can fail on demand. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHosting } from '../../src/edges/hosting/create-hosting.ts';
import { HostingCounts } from '../../src/edges/hosting/hosting-counts.ts';
import type { HostingLimits, HostingOptions } from '../../src/edges/hosting/hosting-options.ts';
import type { ConnectionLimits } from '../../src/platform/http/connection-limits.ts';
import { closeServer, listen, listenSecurely } from '../../src/platform/http/http-server.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { exchange, type RawAnswer } from './exchange.ts';
import { FaultyStorage } from './faulty-storage.ts';

export interface RunningHosting extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  /** 0 without certificateKeys. */
  readonly securePort: number;
  /** The storage for the files that hosting reads. */
  readonly storage: ObjectStorage;
  /** The storage as hosting sees it: it counts, and fails on demand. */
  readonly faults: FaultyStorage;
  /** A clock that stands still until a test moves it. `stepMs`: the change of the time of day in ms. Ages do not follow it. */
  readonly clock: { now: number; stepMs: number };
  /** The logged warnings and errors, oldest first. */
  readonly logged: { level: 'warn' | 'error'; details: object; message: string }[];
  /** The lines logged at level info. */
  readonly informed: { details: object; message: string }[];
  readonly counts: HostingCounts;
  /** Sends one request with `Connection: close`. `lines` are additional header lines. */
  get(path: string, ...lines: string[]): Promise<RawAnswer>;
}

export const HOSTNAME = 'maps.example.com';

/** Options of the server, and of its ports. */
export interface TestedOptions
  extends Partial<HostingLimits>,
    Pick<HostingOptions, 'certificateKeys' | 'crawls'> {
  readonly connections?: ConnectionLimits;
  /** Returns whether connections of an address begin with a PROXY header. */
  readonly isProxy?: (address: string | undefined) => boolean;
  /** Default: a folder of its own. */
  readonly storage?: ObjectStorage;
}

export async function startHosting({
  connections,
  isProxy,
  storage: given,
  ...limits
}: TestedOptions = {}): Promise<RunningHosting> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-hosting-'));
  const storage = given ?? (await openFolderStorage(folder));
  const faults = new FaultyStorage(storage);
  const clock = { now: Date.parse('2026-02-01T00:00:00Z'), stepMs: 0 };
  const logged: RunningHosting['logged'] = [];
  const informed: RunningHosting['informed'] = [];
  const counts = new HostingCounts();
  const { server, secureServer } = createHosting({
    storage: faults,
    now: () => clock.now + clock.stepMs,
    steadyNow: () => clock.now,
    counts,
    log: {
      info: (details, message) => informed.push({ details, message }),
      warn: (details, message) => logged.push({ level: 'warn', details, message }),
      error: (details, message) => logged.push({ level: 'error', details, message }),
    },
    ...limits,
  });
  const where = { address: '127.0.0.1', port: 0, variable: 'PORT', isProxy };
  const port = await listen(server, where, connections);
  const securePort = secureServer ? await listenSecurely(secureServer, server, where) : 0;
  return {
    server,
    port,
    securePort,
    storage,
    faults,
    clock,
    logged,
    informed,
    counts,
    get: (path, ...lines) =>
      exchange(
        port,
        [`GET ${path} HTTP/1.1`, `Host: ${HOSTNAME}`, 'Connection: close', ...lines, '', ''].join('\r\n'),
      ),
    async [Symbol.asyncDispose]() {
      await closeServer(server, { graceMs: 0, idleMs: 0 });
      await rm(folder, { recursive: true });
    },
  };
}
