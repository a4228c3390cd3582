/** Generates the upload of the demo and the benchmarks: plain entries, all different, the same in every run. */

/** Entries per chunk of the body. A chunk is about 128 kB. */
const CHUNK = 1000;

export interface GeneratedEntry {
  readonly loc: string;
  readonly lastmod: string;
  readonly changefreq: string;
  readonly priority: number;
}

const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'];

export function generatedEntry(i: number): GeneratedEntry {
  const month = String(1 + (i % 12)).padStart(2, '0');
  const day = String(1 + (i % 28)).padStart(2, '0');
  return {
    loc: `https://www.example.com/catalogue/category-${i % 997}/item-${i}.html`,
    lastmod: `2026-${month}-${day}`,
    changefreq: FREQUENCIES[i % FREQUENCIES.length]!,
    priority: (i % 11) / 10,
  };
}

/** The body of an upload of `count` such entries. */
export function* generatedBody(domain: string, count: number): Generator<Buffer> {
  yield Buffer.from(`{"domain":${JSON.stringify(domain)},"urls":[`);
  for (let from = 0; from < count; from += CHUNK) {
    const entries = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => {
      return JSON.stringify(generatedEntry(from + i));
    });
    yield Buffer.from((from === 0 ? '' : ',') + entries.join(','));
  }
  yield Buffer.from(']}');
}
