/** Measures hostile hosts whose answers cost them little and us much: endless informational answers, and a file in chunks of one byte. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { callApi } from '../../tools/http-exchange.ts';
import { memoryOf } from '../../tools/process-memory.ts';
import type { WaypostProcess } from '../../tools/waypost-process.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { onClientCore } from '../hosting/cores.ts';
import { joinedTexts, uploadBody } from '../upload-body.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';

const SCRIPT = fileURLToPath(new URL('../apart/hostile-host.ts', import.meta.url));
const LOOPBACK = {
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
  // No program listens on this port.
  INDEXNOW_ENDPOINT: 'http://127.0.0.1:9/indexnow',
};
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const PER_SECOND = 20;
const SECONDS = 12;
const HOSTS = 30;
const MIB = 2 ** 20;

/** One request of an account makes us ask one host for its key file. */
export async function* endlessHints(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost(LOOPBACK);
  await using host = await startHost('hints');
  const id = await domainId(waypost);
  const call = (method: string, path: string, body: object) =>
    callApi(`${waypost.apiUrl}/api/domains/${id}${path}`, waypost.apiKey, {
      method,
      body: [Buffer.from(JSON.stringify(body))],
    });
  await call('PATCH', '', { indexNow: { enabled: true } });
  const verify = async () => {
    const verified = call('POST', '/indexnow/verify', { host: `http://127.0.2.1:${host.port}` });
    verified.catch(() => {});
    return { [Symbol.asyncDispose]: async () => void (await verified.catch(() => {})) };
  };
  yield* besideHealth('a host with endless 103 answers', waypost, verify, scale);
}

/** One upload names many hosts, and so makes us read the robots.txt of each. */
export async function* bytewiseFiles(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost(LOOPBACK);
  await using host = await startHost('bytes');
  const upload = async () => {
    const urls = joinedTexts(HOSTS, (n) => JSON.stringify({ loc: `http://127.0.3.${n + 1}:${host.port}/` }));
    await uploadSeconds(waypost, uploadBody(urls), HOSTS);
    return { [Symbol.asyncDispose]: async () => {} };
  };
  const before = (await memoryOf(waypost.pid))!;
  yield* besideHealth(
    `${HOSTS} hosts with a robots.txt of 500 KiB in chunks of a byte`,
    waypost,
    upload,
    scale,
  );
  await delay(3000);
  const after = (await memoryOf(waypost.pid))!;
  const grown = (name: 'peak' | 'resident') => (after[name] - before.resident) / MIB;
  yield {
    name: '  memory at the peak, more than before',
    value: grown('peak'),
    unit: 'MiB',
    goal: { atMost: 100 },
  };
  yield { name: '  … and three seconds later', value: grown('resident'), unit: 'MiB' };
}

async function* besideHealth(
  what: string,
  { apiUrl }: WaypostProcess,
  attack: () => Promise<AsyncDisposable>,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const load = {
    port: Number(new URL(apiUrl).port),
    request: HEALTH,
    perSecond: PER_SECOND,
    seconds: Math.max(5, SECONDS * scale),
  };
  const alone = await runHonestLoad({ ...load, seconds: load.seconds / 3 });
  const { beside } = await runBeside(load, attack, () => undefined);
  yield* honestFigures(what, { alone, beside, percentile: 'p99', atMostMs: 200 });
}

async function domainId({ apiUrl, apiKey }: WaypostProcess): Promise<string> {
  const domains = await callApi<{ id: string; hostname: string }[]>(`${apiUrl}/api/domains`, apiKey);
  return domains.find(({ hostname }) => hostname === BENCH_HOSTNAME)!.id;
}

async function startHost(kind: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const [file, ...rest] = onClientCore([process.execPath, SCRIPT, kind]);
  const child = spawn(file!, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return {
    port: Number(String(line)),
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
