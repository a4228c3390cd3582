/**
 * Sends 16 kB of the most expensive value, for one header field after the other, in turns with the honest load alone. A
 * harmless header of the same size shows the cost of four busy connections without an attack.
 */
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { MEDIUM_FILE_PATH, SMALL_FILE_PATH } from '../hosting/compared-files.ts';
import { requestFor } from '../hosting/lean-connection.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { countAnswers, loopRequests } from './attackers.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';

const CONNECTIONS = 4;
const SECONDS = 2;
const REQUESTS_PER_SECOND = 200;
/** With the other headers, this is just below Node's limit of 16 KiB. */
const BYTES = 15_800;

const HEADERS: Readonly<Record<string, string>> = {
  harmless: `X-Harmless: ${'x'.repeat(BYTES)}`,
  'Accept-Encoding': `Accept-Encoding: gzip${' '.repeat(BYTES)}x`,
  'If-None-Match': `If-None-Match: ${'"a",'.repeat(BYTES / 4)}`,
  Range: `Range: bytes=${' '.repeat(BYTES)}x`,
  Host: `Host: ${'a.'.repeat(BYTES / 2)}!`,
  'If-Modified-Since': `If-Modified-Since: Sun, 06 Nov 1994 08:49:37 ${' '.repeat(BYTES)}GMT`,
};

export async function* headers(objects: string, scale: number): AsyncGenerator<Figure, void, undefined> {
  await using hosting = await startHosting({ STORAGE_DIR: objects });
  const { port } = hosting;
  const request = requestFor(BENCH_HOSTNAME, MEDIUM_FILE_PATH);
  const load = { port, request, perSecond: REQUESTS_PER_SECOND, seconds: SECONDS * scale };
  for (const [name, line] of Object.entries(HEADERS)) {
    const alone = await runHonestLoad(load);
    const requests = [headWith(line)];
    const { beside, found } = await runBeside(
      load,
      () => loopRequests({ port, connections: CONNECTIONS, addresses: 1, requests }),
      (attacker) => countAnswers(attacker.report()) / load.seconds,
    );
    const run = { alone, beside, percentile: 'p50' } as const;
    yield* honestFigures(`4 × ${name}`, name === 'harmless' ? run : { ...run, atMost: 3 });
    yield { name: '  attacks answered', value: found, unit: 'requests/s' };
  }
}

function headWith(line: string): string {
  const [name] = line.split(':');
  const others = [`Host: ${BENCH_HOSTNAME}`, 'Accept-Encoding: gzip'];
  const fields = [...others.filter((field) => !field.startsWith(`${name}:`)), line];
  return `GET ${SMALL_FILE_PATH} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
}
