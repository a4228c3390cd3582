/**
 * Uploads the same plain entries in each form. Compares the time with that of JSON in the same run, and measures the peak memory of a large
 * upload.
 */
import { CONTENT_TYPES, type UploadForm } from '../src/features/uploads/forms/form.ts';
import { generatedEntry } from '../tools/generated-upload.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { parquetFile, repeatedParquet } from './parquet-body.ts';
import { scaled } from './scale.ts';
import { mediansInTurns } from './statistics.ts';
import { CSV_HEADER, csvRecords, joinedTexts, repeated, uploadBody } from './upload-body.ts';

const ROUNDS = 7;
const MAX_MEGABYTES = 350;
const MILLIONS = 10;

interface BenchForm {
  /** The name of the row, if it differs from the form's name. */
  readonly name?: string;
  readonly form: UploadForm;
  /** Parameters of a dialect. */
  readonly dialect?: Readonly<Record<string, string>>;
  readonly entries: (count: number) => Buffer;
  readonly body: (entries: Buffer, repeat: number) => Iterable<Buffer>;
  /** The goal: the form may take at most this many times as long as JSON. */
  readonly atMost?: number;
  /** Whether only the time is measured, because the memory is that of the form. */
  readonly isTimed?: true;
}

const lines = (textOf: (i: number) => string) => (count: number) =>
  joinedTexts(count, (i) => `${textOf(i)}\n`, '');

function enclosed(before: string, after: string) {
  return function* (entries: Buffer, repeat: number): Generator<Buffer, void, undefined> {
    yield Buffer.from(before);
    yield* repeated(entries, repeat, '');
    yield Buffer.from(after);
  };
}

const FORMS: readonly BenchForm[] = [
  {
    form: 'json',
    entries: (count) => joinedTexts(count, (i) => JSON.stringify(generatedEntry(i))),
    body: (entries, repeat) => uploadBody(entries, { repeat, members: { sitemapName: 'json' } }),
  },
  {
    form: 'ndjson',
    entries: lines((i) => JSON.stringify(generatedEntry(i))),
    body: enclosed('', ''),
    atMost: 0.9,
  },
  { form: 'text', entries: lines((i) => generatedEntry(i).loc), body: enclosed('', ''), atMost: 1 },
  {
    form: 'csv',
    entries: csvRecords,
    body: enclosed(CSV_HEADER, ''),
    atMost: 1.2,
  },
  {
    name: 'csv, wide dialect',
    form: 'csv',
    dialect: { columns: 'loc:url,lastmod:updated_at,changefreq:freq,priority:prio' },
    entries: lines((i) => {
      const { loc, lastmod, changefreq, priority } = generatedEntry(i);
      const cells = [
        i,
        loc,
        `Title of ${i}`,
        `${String(lastmod).slice(0, 10)} 10:00:00.123+00`,
        '"Comma, and ""quotes"""',
      ];
      return [...cells, changefreq, 't', priority, 'C:\\x'].join('|');
    }),
    body: enclosed('id|url|title|updated_at|text|freq|stock|prio|path\n', ''),
    atMost: 1.2,
    isTimed: true,
  },
  {
    name: 'ndjson, dates of Postgres',
    form: 'ndjson',
    entries: lines((i) => {
      const entry = generatedEntry(i);
      return JSON.stringify({ ...entry, lastmod: `${String(entry.lastmod).slice(0, 10)} 10:00:00.123+00` });
    }),
    body: enclosed('', ''),
    atMost: 1.1,
    isTimed: true,
  },
  {
    form: 'xml',
    entries: lines((i) => {
      const members = Object.entries(generatedEntry(i)).map(([name, value]) => `<${name}>${value}</${name}>`);
      return `<url>${members.join('')}</url>`;
    }),
    body: enclosed(
      '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n',
      '</urlset>\n',
    ),
    atMost: 2.5,
  },
  { form: 'parquet', entries: parquetFile, body: repeatedParquet, atMost: 2 },
];

export async function* benchForms(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(1_000_000, scale);
  const bodies = new Map(FORMS.map((benched) => [rowOf(benched), benched.entries(urls)]));
  const seconds = await secondsOfEach(bodies, urls);
  for (const benched of FORMS) {
    const { atMost, isTimed } = benched;
    const row = rowOf(benched);
    const goal = atMost === undefined ? {} : { goal: { atMost } };
    yield { row, name: 'body', value: bodies.get(row)!.length / 1e6, unit: 'MB' };
    yield { row, name: 'upload', value: seconds[row]!, unit: 's' };
    yield { row, name: 'throughput', value: urls / seconds[row]!, unit: 'URLs/s' };
    yield { row, name: '÷ JSON', value: seconds[row]! / seconds.json!, unit: 'x', ...goal };
    if (isTimed) continue;
    const memory = await peakMegabytes(benched, bodies.get(row)!, urls);
    yield { row, name: `peak, ${MILLIONS} million`, value: memory, unit: 'MB' };
    const name = `${row}: peak, ${MILLIONS} million entries`;
    yield { name, value: memory, unit: 'MB', goal: { atMost: MAX_MEGABYTES } };
  }
}

async function secondsOfEach(bodies: ReadonlyMap<string, Buffer>, urls: number) {
  await using waypost = await startBenchWaypost();
  const contenders = FORMS.map((benched) => {
    const row = rowOf(benched);
    const upload = () => uploadSeconds(waypost, benched.body(bodies.get(row)!, 1), urls, headOf(benched));
    return [row, upload] as const;
  });
  // The first upload in a form also compiles its code.
  for (const [, upload] of contenders) await upload();
  // Await the result here, because the end of this function ends the process.
  return await mediansInTurns(ROUNDS, Object.fromEntries(contenders));
}

const rowOf = ({ name, form }: BenchForm) => name ?? form;

async function peakMegabytes(benched: BenchForm, entries: Buffer, urls: number): Promise<number> {
  await using waypost = await startBenchWaypost();
  await uploadSeconds(waypost, benched.body(entries, MILLIONS), urls * MILLIONS, headOf(benched));
  const peak = await waypost.peakMemoryBytes();
  if (peak === undefined) throw new Error('this system does not tell the peak memory of a process');
  return peak / 1e6;
}

/**
 * JSON has its members in the document. Each row has a sitemap of its own: otherwise the entries would differ from those of the live
 * upload, and placing them would cost time.
 */
function headOf(benched: BenchForm) {
  const { form, dialect } = benched;
  const sitemapName = rowOf(benched).replaceAll(/[^a-z]+/g, '-');
  const query = { domain: BENCH_HOSTNAME, force: 'true', sitemapName, ...dialect };
  return {
    contentType: CONTENT_TYPES[form],
    query: form === 'json' ? '' : `?${new URLSearchParams(query)}`,
  };
}
