/** Measures requests for one byte of 47 MB without gzip: their cost to the server, and the delay of honest clients. */
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { MEDIUM_FILE_PATH } from '../hosting/compared-files.ts';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { processorSeconds } from '../process-usage.ts';
import { identityRequest, pathOfAttacked, REPEATED, xmlBytes } from './attacked-files.ts';
import { countAnswers, loopRequests } from './attackers.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';

const CONNECTIONS = 16;
const SECONDS = 10;
const REQUESTS_PER_SECOND = 200;
const MAX_PROCESSOR_MS = 20;

export async function* oneByteRanges(
  objects: string,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  await using hosting = await startHosting({ STORAGE_DIR: objects });
  const { port, pid } = hosting;
  const request = requestFor(BENCH_HOSTNAME, MEDIUM_FILE_PATH);
  const load = { port, request, perSecond: REQUESTS_PER_SECOND, seconds: SECONDS * scale };
  const requests = Array.from({ length: 1000 }, (_, n) => {
    // One request in ten asks for a random byte, the others for the first byte.
    const at = n % 10 === 9 ? Math.floor(Math.random() * xmlBytes(scale)) : 0;
    return identityRequest(BENCH_HOSTNAME, pathOfAttacked(REPEATED), [`Range: bytes=${at}-${at}`]);
  });
  // The first answer may be expensive, so it does not count.
  using first = await LeanConnection.open(port);
  await first.exchange(requests[0]!);

  const startedAt = await processorSeconds(pid);
  const alone = await runHonestLoad(load);
  const attackedAt = await processorSeconds(pid);
  const { beside, found } = await runBeside(
    load,
    () => loopRequests({ port, connections: CONNECTIONS, addresses: 1, requests }),
    async (attacker) => ({ ...attacker.report(), endedAt: await processorSeconds(pid) }),
  );
  // Subtract the honest load, whose processor time was measured when it ran alone.
  const spent = found.endedAt - attackedAt - (attackedAt - startedAt);
  const served = countAnswers(found, /206/);
  const run = { alone, beside, percentile: 'p99', atMost: 5 } as const;
  yield* honestFigures(`${CONNECTIONS} connections of one-byte ranges`, run);
  yield {
    name: '  processor time per byte served',
    value: (1000 * spent) / served,
    unit: 'ms',
    goal: { atMost: MAX_PROCESSOR_MS },
  };
  yield { name: '  answered 206', value: served, unit: '' };
  yield { name: '  … 429 or 503', value: countAnswers(found, /429|503/), unit: '' };
}
