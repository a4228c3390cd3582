/**
 * Measures uploads in which one entry in a hundred is invalid: uploads that leave these entries out, and dry runs that count them. The peer
 * is a plain upload of as many valid entries. Each upload runs in a fresh process.
 */
import { generatedEntry } from '../tools/generated-upload.ts';
import { open } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { joinedTexts, plainEntries, uploadBody } from './upload-body.ts';

const TIMES = 10;
const MAX_MEGABYTES = 350;
const ONE_IN = 100;

interface Answer {
  readonly data?: { readonly urlCount: number; readonly rejected?: number };
  readonly error?: { readonly details?: { readonly errorCount?: number } };
}

export async function* benchGuards(scale: number): AsyncGenerator<Figure, void, undefined> {
  const count = scaled(1_000_000, scale);
  const invalid = (count / ONE_IN) * TIMES;
  const damaged = joinedTexts(count, (i) =>
    JSON.stringify(i % ONE_IN === 0 ? { ...generatedEntry(i), priority: 7 } : generatedEntry(i)),
  );
  const tolerant = { onInvalid: 'skip', maxRejectedPercent: 1 };
  const plain = await measure(plainEntries(count), {}, ({ data }) => data?.urlCount === count * TIMES);
  yield* figuresOf('10 million valid entries', plain);
  const kinds: [string, Readonly<Record<string, unknown>>, (answer: Answer) => boolean][] = [
    ['1 % invalid, left out', tolerant, ({ data }) => data?.rejected === invalid],
    ['1 % invalid, dry run', { dryRun: true }, ({ error }) => error?.details?.errorCount === invalid],
    [
      '1 % invalid, dry run, left out',
      { ...tolerant, dryRun: true },
      ({ data }) => data?.rejected === invalid,
    ],
  ];
  for (const [name, members, isRight] of kinds) {
    const measured = await measure(damaged, members, isRight);
    yield* figuresOf(name, measured);
    yield { row: name, name: '÷ valid', value: measured.seconds / plain.seconds, unit: 'x' };
  }
}

function* figuresOf(row: string, { seconds, peak }: Measured): Generator<Figure> {
  yield { row, name: 'time', value: seconds, unit: 's' };
  yield { row, name: 'peak', value: peak / 1e6, unit: 'MB', goal: { atMost: MAX_MEGABYTES } };
}

interface Measured {
  readonly seconds: number;
  readonly peak: number;
}

async function measure(
  entries: Buffer,
  members: Readonly<Record<string, unknown>>,
  isRight: (answer: Answer) => boolean,
): Promise<Measured> {
  await using waypost = await startBenchWaypost();
  const startedAt = performance.now();
  const answer = await post(waypost, uploadBody(entries, { repeat: TIMES, members }));
  const seconds = (performance.now() - startedAt) / 1000;
  if (!isRight(answer)) throw new Error(`a wrong answer: ${JSON.stringify(answer).slice(0, 1000)}`);
  const peak = await waypost.peakMemoryBytes();
  if (peak === undefined) throw new Error('this system does not tell the peak memory of a process');
  return { seconds, peak };
}

async function post({ apiUrl, apiKey }: WaypostProcess, body: Iterable<Buffer>): Promise<Answer> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  const answer = await open(`${apiUrl}/api/sitemap/generate`, { headers, body });
  return JSON.parse(Buffer.concat(await answer.toArray()).toString());
}
