/**
 * Measures small requests by autocannon: uploads of 100 entries, and lists of domains, beside a bare Express route that reads and parses
 * the body of such an upload. The figures include the processor time of a request, which bounds the rate.
 */
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { registerHostname, startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { type Load, type Measured, measure } from './requests/load.ts';
import { startExpressRoute } from './requests/start-express-route.ts';
import { inTurns, median } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const URLS = 100;
const DOMAINS = 100;
const SECONDS = 5;
const WARM_UP_SECONDS = 2;
const ROUNDS = 3;
const MAX_UPLOAD_PROCESSOR_MS = 2;
const COLUMNS = [
  ['perSecond', 'requests/s', ''],
  ['p50Ms', 'p50', 'ms'],
  ['p99Ms', 'p99', 'ms'],
  ['nodeMs', 'Node', 'processor ms'],
  ['postgresMs', 'Postgres', 'processor ms'],
] as const satisfies readonly (readonly [keyof Measured, string, string])[];

interface Contender {
  readonly load: Load;
  /** Requests a second. */
  readonly atLeast?: number;
}

export async function* benchRequests(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost();
  await using route = await startExpressRoute();
  // At this point the account has one domain, like most accounts.
  const domains = 'GET /api/domains, 50 connections';
  const list = { load: loadOf(waypost, '/api/domains', 50), atLeast: 4000 };
  const lists = await measureAll({ [domains]: list }, scale);

  const { bodies, unforced } = await registerDomains(waypost);
  const upload = loadOf(waypost, '/api/sitemap/generate', 1);
  const ownDomain = (connections: number) => ({ ...upload, connections, bodyOf: (n: number) => bodies[n]! });
  const oneDomain = (connections: number) => ({ ...upload, connections, bodyOf: () => bodies[0]! });
  const uploads = {
    'upload, 1 connection': { load: oneDomain(1) },
    'upload, 20 connections, a domain each': { load: ownDomain(20), atLeast: 600 },
    'upload, 100 connections, a domain each': { load: ownDomain(100), atLeast: 900 },
    'upload, 20 connections, one domain': { load: oneDomain(20) },
    'upload, 100 connections, one domain': { load: oneDomain(100), atLeast: 1200 },
    'the same list, 20 connections, a domain each': {
      load: { ...upload, connections: 20, bodyOf: (n: number) => unforced[n]! },
    },
    'bare Express route, 20 connections': { load: { ...ownDomain(20), url: route.url, pid: route.pid } },
  };
  const measured = await measureAll(uploads, scale);
  for (const [name, { atLeast }] of Object.entries<Contender>(uploads)) {
    yield* rowOf(name, measured[name as keyof typeof uploads], atLeast);
  }
  yield* rowOf(domains, lists[domains]!, list.atLeast);

  const small = measured['upload, 20 connections, a domain each'];
  const goal = { atMost: MAX_UPLOAD_PROCESSOR_MS };
  yield {
    name: 'processor time of an upload (20 connections, a domain each)',
    ...processorTime(small),
    goal,
  };
  const many = measured['upload, 100 connections, a domain each'];
  yield { name: '… (100 connections, a domain each)', ...processorTime(many), goal };
  yield {
    name: 'uploads of the same list ÷ uploads (20 connections, a domain each)',
    value: measured['the same list, 20 connections, a domain each'].perSecond / small.perSecond,
    unit: 'x',
    goal: { atLeast: 1.5 },
  };
  const bare = measured['bare Express route, 20 connections'].perSecond;
  yield {
    name: 'uploads (20 connections, a domain each) ÷ bare Express',
    value: small.perSecond / bare,
    unit: 'x',
  };
}

function loadOf({ apiUrl, apiKey, pid }: WaypostProcess, path: string, connections: number): Load {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': apiKey };
  return { url: apiUrl + path, pid, connections, headers };
}

/** Registers domains, and returns the body of an upload for each. An `unforced` body is published once. After that it changes nothing. */
async function registerDomains(waypost: WaypostProcess) {
  const entries = plainEntries(URLS);
  const hostnames = Array.from({ length: DOMAINS }, (_, n) => `bench-${n}.localhost`);
  for (const hostname of hostnames) await registerHostname(waypost, hostname);
  const bodiesWith = (members: object) =>
    hostnames.map((domain) => Buffer.concat([...uploadBody(entries, { members: { domain, ...members } })]));
  return { bodies: bodiesWith({}), unforced: bodiesWith({ force: false }) };
}

/** Returns the medians of each contender's figures, in turns. A scaled run has fewer rounds. */
async function measureAll<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  scale: number,
): Promise<Record<Name, Measured>> {
  const named = Object.entries<Contender>(contenders);
  for (const [, { load }] of named) await measure(load, WARM_UP_SECONDS * scale);
  const loads = named.map(([name, { load }]) => [name, () => measure(load, SECONDS * scale)] as const);
  const rounds = await inTurns(Math.max(1, Math.round(ROUNDS * scale)), Object.fromEntries(loads));
  const medians = Object.entries(rounds).map(([name, each]) => [name, medianOf(each)] as const);
  return Object.fromEntries(medians) as Record<Name, Measured>;
}

function medianOf(rounds: readonly Measured[]): Measured {
  const figures = COLUMNS.map(([key]) => [key, median(rounds.map((each) => each[key]))]);
  return Object.fromEntries(figures);
}

function* rowOf(row: string, measured: Measured, atLeast?: number): Generator<Figure> {
  for (const [key, name, unit] of COLUMNS) {
    const goal = key === 'perSecond' && atLeast !== undefined ? { goal: { atLeast } } : {};
    yield { row, name, value: measured[key], unit, ...goal };
  }
}

function processorTime({ nodeMs, postgresMs }: Measured): Pick<Figure, 'value' | 'unit'> {
  return { value: nodeMs + postgresMs, unit: 'ms' };
}
