/**
 * Shows the main job: starts an all-in-one program, registers a domain, uploads a million URLs, reads them back like a crawler, and
 * compares. Exit code 0 only if both lists are the same.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Table from 'cli-table3';
import { Command, InvalidArgumentError } from 'commander';
import { CA_FILE } from '../src/features/certificates/local-authority.ts';
import { TRIAL_NAMES } from '../src/features/domains/hostname.ts';
import { isBelow } from '../src/platform/dns/dns-name.ts';
import { print } from '../src/platform/process/print.ts';
import { reportFailure } from '../src/platform/process/run-process.ts';
import { steadyNow } from '../src/platform/steady-clock.ts';
import { startCnameServer } from './demo/answer-cname.ts';
import { checkHttps } from './demo/check-https.ts';
import { crawlSite } from './demo/crawl-site.ts';
import { startProgressBar } from './demo/progress-bar.ts';
import { signInLink } from './demo/sign-in-link.ts';
import { fileSource, generatedSource, type UploadSource } from './demo/upload-source.ts';
import { callApi } from './http-exchange.ts';
import { startWaypost, type WaypostProcess } from './waypost-process.ts';

interface Uploaded {
  readonly sitemapUrl: string;
  readonly urlCount: number;
  readonly filesGenerated: number;
}

/** The certificate is ready within a second, except on a very busy machine. */
const CERTIFICATE_TIMEOUT_MS = 60_000;

const program = new Command('npm run demo --')
  .description('Uploads a million URLs into a Waypost of its own and reads them back.')
  .option('--urls <count>', 'how many URLs to generate', wholeNumber, 1_000_000)
  .option('--file <path>', 'upload this JSON body instead')
  .showHelpAfterError();

try {
  const { urls, file } = program.parse().opts<{ urls: number; file?: string }>();
  const source = file === undefined ? generatedSource('demo.localhost', urls) : await fileSource(file);
  if (!(await demonstrate(source))) process.exitCode = 1;
} catch (error) {
  process.exitCode = reportFailure(error);
}

/** Returns whether the lists are the same. */
async function demonstrate(source: UploadSource): Promise<boolean> {
  await using dns = await startCnameServer();
  print('Starting Waypost (API, hosting, jobs, Postgres) …');
  await using waypost = await startWaypost({ DNS_SERVERS: dns.address });

  print(`Watch it, while it lasts: ${await signInLink(waypost)}`);
  print(`Registering ${source.hostname} …`);
  const domain = await callApi<{ id: string; cnameTarget: string }>(
    `${waypost.apiUrl}/api/domains`,
    waypost.apiKey,
    {
      body: [Buffer.from(JSON.stringify({ hostname: source.hostname }))],
    },
  );
  dns.point(source.hostname, domain.cnameTarget);
  await callApi(`${waypost.apiUrl}/api/domains/${domain.id}/verify`, waypost.apiKey, { method: 'POST' });

  const upload = await uploadFrom(source, waypost);
  const crawl = await readBack(source, waypost, upload);
  const https = await tryHttps(source.hostname, waypost, domain.id, upload);
  await printSummary(waypost, domain.id, { upload, crawl, https });
  return crawl.difference === undefined;
}

async function uploadFrom(source: UploadSource, waypost: WaypostProcess) {
  const bar = startProgressBar('Uploading', source.total, source.unit);
  let bytes = 0;
  async function* counted() {
    for await (const chunk of source.body((done) => bar.update(done))) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const startedAt = performance.now();
  const answer = await callApi<Uploaded>(`${waypost.apiUrl}/api/sitemap/generate`, waypost.apiKey, {
    body: counted(),
  }).finally(() => bar.stop());
  return { ...answer, bytes, seconds: (performance.now() - startedAt) / 1000 };
}

async function readBack(source: UploadSource, waypost: WaypostProcess, upload: Uploaded) {
  const crawler = { hostingUrl: waypost.hostingUrl, hostname: source.hostname };
  const bar = startProgressBar('Reading back', upload.urlCount, 'URLs');
  let files = 0;
  let count = 0;
  let difference: string | undefined;
  const expected = source.expectedLocs()[Symbol.asyncIterator]();
  for await (const loc of crawlSite(crawler, new URL(upload.sitemapUrl).pathname, () => files++)) {
    const next = await expected.next();
    if (next.done || next.value !== loc) {
      difference ??= `URL ${count + 1} was uploaded as ${next.done ? 'nothing' : next.value} and is served as ${loc}`;
    }
    count++;
    if (count % 10_000 === 0) bar.update(count);
  }
  bar.update(count);
  bar.stop();
  if (!(await expected.next()).done) difference ??= `only ${count} URLs are served`;
  return { files, count, difference };
}

/** The local authority issues certificates for trial names only. All other names need a public authority. */
async function tryHttps(
  hostname: string,
  { apiUrl, apiKey, httpsUrl, dataDir }: WaypostProcess,
  domainId: string,
  upload: Uploaded,
): Promise<string> {
  if (!TRIAL_NAMES.some((name) => isBelow(hostname, name))) return 'not for this hostname';
  const deadline = steadyNow() + CERTIFICATE_TIMEOUT_MS;
  const isActive = async () =>
    (await callApi<{ status: string }>(`${apiUrl}/api/domains/${domainId}`, apiKey)).status === 'active';
  while (!(await isActive())) {
    if (steadyNow() > deadline) throw new Error(`${hostname} got no certificate`);
    await delay(100);
  }
  const path = new URL(upload.sitemapUrl).pathname;
  return checkHttps({ httpsUrl, caFile: join(dataDir, CA_FILE), hostname, path });
}

interface Shown {
  readonly upload: Awaited<ReturnType<typeof uploadFrom>>;
  readonly crawl: Awaited<ReturnType<typeof readBack>>;
  readonly https: string;
}

async function printSummary(
  waypost: WaypostProcess,
  domainId: string,
  { upload, crawl, https }: Shown,
): Promise<void> {
  const sitemapsUrl = `${waypost.apiUrl}/api/domains/${domainId}/sitemaps`;
  const sitemaps = await callApi<{ gzipBytes: number }[]>(sitemapsUrl, waypost.apiKey);
  const stored = sitemaps.reduce((sum, sitemap) => sum + sitemap.gzipBytes, 0);
  const peak = await waypost.peakMemoryBytes();
  const table = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'right'] });
  table.push(
    ['URLs uploaded', upload.urlCount.toLocaleString('en-US')],
    ['URLs read back', crawl.count.toLocaleString('en-US')],
    ['files', crawl.files.toLocaleString('en-US')],
    ['seconds, upload to published', upload.seconds.toFixed(2)],
    ['URLs/s', Math.round(upload.urlCount / upload.seconds).toLocaleString('en-US')],
    ['HTTPS with its own certificate', https],
    ['bytes in', readableSize(upload.bytes)],
    ['bytes stored', readableSize(stored)],
    ['peak memory of the process', peak === undefined ? 'not known here' : readableSize(peak)],
  );
  print(table.toString());
  print(crawl.difference ?? 'Both lists are the same.');
}

function readableSize(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function wholeNumber(text: string): number {
  const number = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}
