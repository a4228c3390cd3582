/** Eight accounts read lists of changes as slowly as they can. Measures how long another account needs to read its own list. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generatedEntry } from '../../tools/generated-upload.ts';
import { callApi, open } from '../../tools/http-exchange.ts';
import type { WaypostProcess } from '../../tools/waypost-process.ts';
import { registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { joinedTexts, uploadBody } from '../upload-body.ts';

const ACCOUNTS = 8;
/** The number of readers of each account. */
const READERS = 4;
/** A list of this many URLs is larger than the buffers of sockets. */
const URLS = 200_000;
const TRICKLE_MS = 500;
const PATIENCE_MS = 90_000;

export async function* slowLists(_scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost();
  const honest = await publishChanges(waypost, waypost.apiKey, 0);
  const lists = [];
  for (let n = 1; n <= ACCOUNTS; n++) lists.push(await publishChanges(waypost, await newKey(waypost, n), n));
  const alone = await secondsToRead(honest);
  const readers = await Promise.all(
    lists.flatMap((list) => Array.from({ length: READERS }, () => trickle(list))),
  );
  yield {
    name: `${ACCOUNTS * READERS} slow readers of lists: an honest list, alone`,
    value: alone,
    unit: 's',
  };
  const beside = await secondsToRead(honest);
  yield {
    name: '  … beside them, from the first request on',
    value: beside,
    unit: 's',
    goal: { atMost: 15 },
  };
  for (const reader of readers) reader.destroy();
}

interface List {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function publishChanges(waypost: WaypostProcess, apiKey: string, n: number): Promise<List> {
  const { apiUrl } = waypost;
  const domain = `lists-${n}.localhost`;
  await registerHostname({ ...waypost, apiKey }, domain);
  for (const version of [1, 2]) {
    const entries = joinedTexts(URLS, (i) =>
      JSON.stringify({ ...generatedEntry(i), priority: version / 10 }),
    );
    await uploadSeconds({ apiUrl, apiKey }, uploadBody(entries, { members: { domain } }), URLS);
  }
  const domains = await callApi<{ id: string; hostname: string }[]>(`${apiUrl}/api/domains`, apiKey);
  const { id } = domains.find(({ hostname }) => hostname === domain)!;
  const url = `${apiUrl}/api/domains/${id}/sitemaps/default/changes`;
  while ((await callApi<{ state: string }>(url, apiKey)).state === 'pending') await delay(200);
  return { url, headers: { 'X-API-Key': apiKey, Accept: 'application/x-ndjson' } };
}

async function newKey({ dataDir }: WaypostProcess, n: number): Promise<string> {
  const run = async (...args: string[]) => {
    const env = { ...process.env, DATA_DIR: dataDir };
    const { stdout } = await promisify(execFile)(process.execPath, ['src/cli.ts', ...args], { env });
    return stdout;
  };
  const account = /account_\w+/.exec(
    await run('account', 'create', `reader ${n}`, '--plan', 'enterprise'),
  )![0];
  return /sk_live_\w+/.exec(await run('key', 'create', account, 'bench'))![0];
}

/** Reads a little from time to time, so the connection never stalls. */
async function trickle({ url, headers }: List): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  answer.on('error', () => {}).pause();
  const timer = setInterval(() => answer.read(1), TRICKLE_MS);
  answer.once('close', () => clearInterval(timer));
  return answer;
}

/** Returns the seconds until the whole list is read. Tries again while all places are taken. */
async function secondsToRead({ url, headers }: List): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < PATIENCE_MS) {
    const answer = await open(url, { headers });
    if (answer.statusCode === 200) {
      for await (const _chunk of answer);
      break;
    }
    answer.resume();
    await delay(500);
  }
  return (performance.now() - startedAt) / 1000;
}
