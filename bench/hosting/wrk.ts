/** Runs wrk, a load generator, with one thread on the client's core and 64 keep-alive connections. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onClientCore } from './cores.ts';

export interface WrkLoad {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of a script in Lua. */
  readonly script?: string;
}

export interface WrkRun {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

const CONNECTIONS = '64';
const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

/** Throws if a single request fails, because an error is a fast answer. */
export async function runWrk(
  wrk: string,
  { url, headers, script }: WrkLoad,
  seconds: number,
): Promise<WrkRun> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const duration = ['-d', `${seconds}s`];
  const [file, ...parameters] = onClientCore([
    ...[wrk, '-t', '1', '-c', CONNECTIONS, ...duration, '--latency'],
    ...(script === undefined ? [] : ['-s', script]),
    ...[...lines, url],
  ]);
  const { stdout } = await promisify(execFile)(file!, parameters);
  const failures = /^.*(?:Non-2xx or 3xx responses|Socket errors).*$/m.exec(stdout);
  if (failures !== null) throw new Error(`${url}: ${failures[0].trim()}`);
  const [, requests] = /^Requests\/sec: +([\d.]+)$/m.exec(stdout) ?? [];
  const [, p99, unit] = /^ +99% +([\d.]+)(us|ms|s) *$/m.exec(stdout) ?? [];
  if (requests === undefined || p99 === undefined) throw new Error(`wrk printed ${stdout}`);
  return { requestsPerSecond: Number(requests), p99Ms: Number(p99) * MS_PER_UNIT[unit!]! };
}
