/** Measures an honest client of the API, while 300 connections from its address guess keys. */
import { startBenchWaypost } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { apiRequest } from './api-request.ts';
import { countAnswers, loopRequests } from './attackers.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';

const CONNECTIONS = 300;
const SECONDS = 15;
const REQUESTS_PER_SECOND = 50;

export async function* wrongKeys(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost();
  const port = Number(new URL(waypost.apiUrl).port);
  const request = apiRequest('/api/domains', waypost.apiKey);
  const load = { port, request, perSecond: REQUESTS_PER_SECOND, seconds: SECONDS * scale };
  const alone = await runHonestLoad({ ...load, seconds: load.seconds / 3 });
  const requests = [apiRequest('/api/domains', 'sk_live_RANDOM')];
  const { beside, found } = await runBeside(
    load,
    () => loopRequests({ port, connections: Math.ceil(CONNECTIONS * scale), requests }),
    (attacker) => attacker.report(),
  );
  const run = { alone, beside, percentile: 'p50', atMost: 5 } as const;
  yield* honestFigures(`${CONNECTIONS} connections of wrong keys`, run);
  const perSecond = (statuses: RegExp) => countAnswers(found, statuses) / load.seconds;
  yield { name: '  attacks answered 401', value: perSecond(/401/), unit: 'requests/s' };
  yield { name: '  … 429', value: perSecond(/429/), unit: 'requests/s' };
  yield { name: '  … 5xx, in all', value: countAnswers(found, /^5/), unit: '', goal: { atMost: 0 } };
  yield { name: '  attackers cut off', value: found.cut, unit: '' };
}
