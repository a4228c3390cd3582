/**
 * Measures the cost of URL submission for an upload. Uploads go in turns to a domain with submission and to a domain without. All URLs
 * change.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { generatedEntry } from '../tools/generated-upload.ts';
import { callApi } from '../tools/http-exchange.ts';
import { BENCH_HOSTNAME, registerHostname, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { joinedTexts, uploadBody } from './upload-body.ts';

const URLS = 500_000;
const ROUNDS = 20;
const SUBMITTING = 'submitting.localhost';
/** No program listens on this port. No page host has its key file, so nothing is submitted. */
const ENDPOINT = 'http://127.0.0.1:9/indexnow';
const LOOK_INTERVAL_MS = 100;

interface Domain {
  readonly id: string;
  readonly hostname: string;
}

export async function* benchSubmission(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost({ INDEXNOW_ENDPOINT: ENDPOINT, DNS_SERVERS: '127.0.0.1:9' });
  const call = <Data>(path: string, method = 'GET', body?: object) =>
    callApi<Data>(`${waypost.apiUrl}/api/domains${path}`, waypost.apiKey, {
      method,
      ...(body && { body: [Buffer.from(JSON.stringify(body))] }),
    });
  const untilCompared = async ({ id }: Domain) => {
    const changes = () => call<{ state: string }>(`/${id}/sitemaps/default/changes`);
    while ((await changes()).state === 'pending') await delay(LOOK_INTERVAL_MS);
  };
  await registerHostname(waypost, SUBMITTING);
  const domains = await call<Domain[]>('');
  const submitting = domains.find(({ hostname }) => hostname === SUBMITTING)!;
  await call(`/${submitting.id}`, 'PATCH', { indexNow: { enabled: true } });

  const urls = scaled(URLS, scale);
  const seconds = new Map<string, number[]>([
    [BENCH_HOSTNAME, []],
    [SUBMITTING, []],
  ]);
  for (let round = 0; round <= ROUNDS; round++) {
    const entries = joinedTexts(urls, (i) =>
      JSON.stringify({ ...generatedEntry(i), priority: ((i + round) % 11) / 10 }),
    );
    for (const domain of round % 2 === 0 ? domains : domains.toReversed()) {
      const body = uploadBody(entries, { members: { domain: domain.hostname } });
      const took = await uploadSeconds(waypost, body, urls);
      // The first upload does not count, because it is not compared.
      if (round > 0) seconds.get(domain.hostname)!.push(took);
      await untilCompared(domain);
    }
  }
  const without = median(seconds.get(BENCH_HOSTNAME)!);
  const enabled = median(seconds.get(SUBMITTING)!);
  yield {
    name: `${urls.toLocaleString('en-US')} plain without submission, median`,
    value: without,
    unit: 's',
  };
  yield { name: '… with it', value: enabled, unit: 's' };
  yield { name: '… with ÷ without', value: enabled / without, unit: 'x', goal: { atMost: 1.03 } };
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
