/** Reads a published sitemap entry by entry: which of its numbered URLs it has, how often, and of which version. */
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { open } from '../../tools/http-exchange.ts';
import { AFTER_LOC, DIGITS, LOC, timeOf } from './numbered-lines.ts';

export interface Verdict {
  /** The number of all entries, foreign ones included. */
  readonly found: number;
  /** Numbers that no entry has. */
  readonly lost: number;
  /** Entries whose number another entry has. */
  readonly repeated: number;
  /** The number of entries with another version, and of foreign entries. */
  readonly mixed: number;
}

interface Site {
  readonly hostingUrl: string;
  readonly hostname: string;
}

const AT_ONCE = 4;
const inflated = promisify(gunzip);

/** Judges URLs with the numbers 0 to `urls` - 1, which should have this version. It remembers only a bit for each URL. */
export async function judgePublished(site: Site, urls: number, version: number): Promise<Verdict> {
  const seen = new Uint8Array(Math.ceil(urls / 8));
  const counts = { found: 0, distinct: 0, repeated: 0, mixed: 0 };
  const take = (n: number) => {
    const bit = 1 << (n & 7);
    if ((seen[n >> 3]! & bit) !== 0) counts.repeated += 1;
    else counts.distinct += 1;
    seen[n >> 3]! |= bit;
  };
  const paths = locsOf(await read(site, '/sitemap-index.xml')).map((loc) => new URL(loc).pathname);
  const wanted = paths.values();
  const work = async () => {
    for (const path of wanted) judgeFile(await read(site, path), urls, timeOf(version), counts, take);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { found, distinct, repeated, mixed } = counts;
  return { found, lost: urls - distinct, repeated, mixed };
}

function judgeFile(
  xml: Buffer,
  urls: number,
  time: string,
  counts: { found: number; mixed: number },
  take: (n: number) => void,
): void {
  const after = `${AFTER_LOC}${time}</lastmod>`;
  for (let at = xml.indexOf('<loc>'); at !== -1; at = xml.indexOf('<loc>', at + 1)) {
    counts.found += 1;
    const numberAt = at + LOC.length;
    const n = xml.toString('latin1', at, numberAt) === LOC ? parseNumber(xml, numberAt) : Number.NaN;
    const rest = xml.toString('latin1', numberAt + DIGITS, numberAt + DIGITS + after.length);
    if (!(n < urls) || rest !== after) counts.mixed += 1;
    else take(n);
  }
}

function parseNumber(xml: Buffer, at: number): number {
  let n = 0;
  for (let i = at; i < at + DIGITS; i++) {
    const digit = xml[i]! - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    n = 10 * n + digit;
  }
  return n;
}

function locsOf(index: Buffer): string[] {
  return [...index.toString().matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc!);
}

async function read({ hostingUrl, hostname }: Site, path: string): Promise<Buffer> {
  const headers = { Host: hostname, 'Accept-Encoding': 'gzip' };
  const answer = await open(new URL(path, hostingUrl).href, { headers });
  const body = await buffer(answer);
  if (answer.statusCode !== 200) throw new Error(`${path}: HTTP ${answer.statusCode}`);
  return answer.headers['content-encoding'] === 'gzip' ? inflated(body) : body;
}
