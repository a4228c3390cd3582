/** Measures the same plain entries through npm `sitemap`, in both of its ways, and through Waypost. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runApart } from '../tools/run-apart.ts';
import type { PackageRun } from './apart/sitemap-package.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const SCRIPT = new URL('./apart/sitemap-package.ts', import.meta.url);

export async function* benchPeers(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(1_000_000, scale);
  // The index stream makes 6,000 URLs/s, so a million would take minutes.
  const fewUrls = scaled(100_000, scale);
  const entries = plainEntries(urls);
  await using waypost = await startBenchWaypost();
  const runPackage = async (way: string, body: Iterable<Buffer>) => {
    const folder = join(waypost.dataDir, way);
    const file = join(folder, 'body.json');
    await mkdir(folder);
    await writeFile(file, body);
    return runApart<PackageRun>(SCRIPT, [way, file, folder]);
  };

  const seconds: number[] = [];
  const uploadTwice = async () => {
    for (let run = 0; run < 2; run++) seconds.push(await uploadSeconds(waypost, uploadBody(entries), urls));
  };
  await uploadTwice();
  const whole = await runPackage('whole-files', uploadBody(entries));
  await uploadTwice();
  const indexed = await runPackage('index-stream', uploadBody(plainEntries(fewUrls)));
  await uploadTwice();
  const ours = urls / median(seconds);
  const peak = await waypost.peakMemoryBytes();

  yield { name: 'Waypost, HTTP to published, median of 6', value: ours, unit: 'URLs/s' };
  if (peak !== undefined) yield { name: '  its peak memory', value: peak / 1e6, unit: 'MB' };
  yield* comparison('sitemap, whole files and gzip', whole, urls, ours);
  const documented = `sitemap, SitemapAndIndexStream, ${fewUrls.toLocaleString('en-US')} only`;
  yield* comparison(documented, indexed, fewUrls, ours);
}

function* comparison(name: string, run: PackageRun, urls: number, ours: number): Generator<Figure> {
  const throughput = urls / run.seconds;
  yield { name, value: throughput, unit: 'URLs/s' };
  yield { name: '  its peak memory', value: run.peakBytes / 1e6, unit: 'MB' };
  yield { name: '  Waypost ÷ sitemap', value: ours / throughput, unit: 'x', goal: { atLeast: 10 } };
}
