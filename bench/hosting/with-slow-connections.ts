/**
 * Measures the cost of 2,000 slow clients to the other clients: the p99 of a steady load with and without them, in turns. The load has a
 * fixed rate far below the server's capacity, so that its p99 shows the server and not a queue.
 *
 * Waypost gives a client 10 s for its headers. Slower clients are cut off, and connect again. The clients connect over these 10 s. So cuts
 * and reconnections are as evenly spread as after hours. The first cut comes when the measurement begins.
 */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runApart } from '../../tools/run-apart.ts';
import type { PacedLoad, PacedLoadOptions } from '../apart/paced-load.ts';
import type { SlowClients } from '../apart/slow-clients.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import type { ServerProcess } from '../server-process.ts';
import { mediansInTurns } from '../statistics.ts';
import { LARGE_FILE_PATH, MEDIUM_FILE_PATH } from './compared-files.ts';
import { behindClients, onClientCore } from './cores.ts';
import { requestFor } from './lean-connection.ts';
import { sayLoudly } from './say-loudly.ts';

const CONNECTIONS = 2000;
/** A generous allowance for the files that a process has open beside its connections. */
const OTHER_FILES = 200;
const OPENING_SECONDS = 10;
const ROUNDS = 3;
const SECONDS = 5;
const REQUESTS_PER_SECOND = 2000;

const LOAD = new URL('../apart/paced-load.ts', import.meta.url);
const CLIENTS = fileURLToPath(new URL('../apart/slow-clients.ts', import.meta.url));

export async function* withSlowConnections(
  { port }: ServerProcess,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const connections = Math.max(20, Math.round(CONNECTIONS * scale));
  const maxFiles = await maxOpenFiles();
  if (maxFiles < connections + OTHER_FILES) {
    sayLoudly(`SKIPPED: ${connections} slow connections, because \`ulimit -n\` is ${maxFiles}: raise it`);
    return;
  }
  const seconds = Math.max(1, Math.round(SECONDS * scale));
  const request = requestFor(BENCH_HOSTNAME, MEDIUM_FILE_PATH);
  const options: PacedLoadOptions = { port, request, perSecond: REQUESTS_PER_SECOND, seconds };
  const p99Ms = async () => {
    const load = await runApart<PacedLoad>(LOAD, [JSON.stringify(options)], onClientCore);
    if (load.failed > 0) throw new Error(`${load.failed} requests were not answered with 200`);
    return load.p99Ms;
  };
  const p99 = await mediansInTurns(Math.max(1, Math.round(ROUNDS * scale)), {
    alone: p99Ms,
    beside: async () => {
      await using slow = await openSlowClients(port, connections, OPENING_SECONDS * scale);
      const value = await p99Ms();
      slow.check();
      return value;
    },
  });
  const rate = REQUESTS_PER_SECOND.toLocaleString('en-US');
  yield { name: `${rate} requests/s of 11 kB: p99`, value: p99.alone, unit: 'ms' };
  yield { name: `  beside ${connections} slow connections: p99`, value: p99.beside, unit: 'ms' };
  yield { name: '  beside ÷ alone', value: p99.beside / p99.alone, unit: 'x', goal: { atMost: 2 } };
}

/** Resolves when 99 % of the clients are connected. `check` throws if too many connections are gone. */
async function openSlowClients(port: number, connections: number, seconds: number) {
  await using scope = new AsyncDisposableStack();
  const parameters = [port, BENCH_HOSTNAME, LARGE_FILE_PATH, connections, seconds].map(String);
  const [file, ...rest] = behindClients([process.execPath, CLIENTS, ...parameters]);
  const child = spawn(file!, rest, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  scope.defer(async () => {
    child.kill();
    await exited;
  });
  let connected = 0;
  for await (const [message] of on(child, 'message', { close: ['exit'] })) {
    ({ connected } = message as SlowClients);
    if (connected >= 0.99 * connections) break;
  }
  child.on('message', (message: SlowClients) => {
    ({ connected } = message);
  });
  const check = () => {
    // Waypost cuts off several clients at once, and these may be reconnecting right now.
    if (connected < 0.8 * connections) throw new Error(`only ${connected} slow connections were left`);
  };
  check();
  const opened = scope.move();
  return { check, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Returns the hard limit of open files. Node raises its own limit to the hard limit, and so do the processes that it starts. */
async function maxOpenFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const limit = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}
