/**
 * Customers who publish one list after the other, and crawlers who read them, for tests that change the processes below. Each list says
 * which one it is, so a crawler sees whether it is whole, and whether it is as new as it must be.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Body, send } from './send.ts';

interface Origins {
  readonly apiUrl: string;
  readonly hostingUrl: string;
}

/** Hosting shows a list within some seconds. The rest is for a busy machine. */
const SHOWN_MS = 30_000;
const PAUSE_MS = 250;

/** Some are small enough to stand in the database, and some are not. */
const countOf = (n: number) => (n % 7 === 0 ? 20_000 : 1 + ((n * 797) % 2000));
const locAt = (n: number, index: number) => `https://www.example.com/${n}/${index}`;

export class PublishedLists {
  /** Answers of the API other than 200, and uploads without an answer. */
  readonly refused: string[] = [];
  /** What a crawler got that is not a list which was to be expected. */
  readonly wrong: string[] = [];
  published = 0;
  crawled = 0;
  readonly #origins: Origins;
  readonly #key: string;
  readonly #stopped = new AbortController();
  readonly #published = new Map<string, { readonly n: number; readonly at: number }[]>();
  readonly #begun = new Map<string, number>();
  readonly #loops: Promise<void>[] = [];

  constructor(origins: Origins, key: string) {
    this.#origins = origins;
    this.#key = key;
  }

  /** Publishes the first list, and goes on until `stop`. `slowly`: over some seconds each. */
  async begin(hostname: string, slowly: boolean): Promise<void> {
    await this.#publish(hostname, 1, slowly);
    this.#loops.push(
      this.#repeat(async (turn) => this.#publish(hostname, turn + 2, slowly)),
      this.#repeat(async () => this.#crawl(hostname, slowly)),
    );
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#loops);
  }

  /** The last list of a hostname that the API has acknowledged. */
  last(hostname: string): number {
    return this.#published.get(hostname)!.at(-1)!.n;
  }

  /** Reads the list that a hostname serves, and returns its number. */
  async read(hostname: string, slowly = false): Promise<number> {
    const url = `${this.#origins.hostingUrl}/sitemap.xml`;
    const headers = { Host: hostname };
    const { status, body } = slowly ? await readSlowly(url, headers) : await send(url, { headers });
    if (status !== 200) throw new Error(`status ${status}`);
    const locs = Array.from(body.toString().matchAll(/<loc>(.*?)<\/loc>/g), ([, loc]) => loc);
    const n = Number(locs[0]?.split('/')[3]);
    const isWhole = locs.length === countOf(n) && locs.every((loc, index) => loc === locAt(n, index));
    if (!isWhole || !body.toString().trimEnd().endsWith('</urlset>')) throw new Error(`list ${n} is damaged`);
    return n;
  }

  async #repeat(work: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.#stopped.signal.aborted; turn++) {
      await work(turn);
      await sleep(PAUSE_MS);
    }
  }

  /** Sends the list until the API takes it, or until `stop`. */
  async #publish(hostname: string, n: number, slowly: boolean): Promise<void> {
    this.#begun.set(hostname, n);
    for (let isTaken = false; !isTaken && !this.#stopped.signal.aborted; ) {
      const { status, text } = await this.#upload(documentOf(hostname, n, slowly)).catch((error) => ({
        status: 0,
        text: String(error),
      }));
      isTaken = status === 200;
      if (isTaken) this.#remember(hostname, n);
      else {
        this.refused.push(`${status} ${text}`);
        await sleep(PAUSE_MS);
      }
    }
  }

  #remember(hostname: string, n: number): void {
    this.published += 1;
    const earlier = this.#published.get(hostname) ?? [];
    this.#published.set(hostname, [...earlier, { n, at: performance.now() }]);
  }

  async #upload(body: Body) {
    const headers = { 'X-API-Key': this.#key, 'Content-Type': 'application/json' };
    const url = `${this.#origins.apiUrl}/api/sitemap/generate`;
    const answer = await send(url, { method: 'POST', headers, body });
    return { status: answer.status, text: answer.body.toString() };
  }

  async #crawl(hostname: string, slowly: boolean): Promise<void> {
    const due = performance.now() - SHOWN_MS;
    const oldest = this.#published.get(hostname)!.findLast(({ at }) => at < due)?.n ?? 1;
    try {
      const n = await this.read(hostname, slowly);
      if (n < oldest || n > this.#begun.get(hostname)!) throw new Error(`list ${n} in place of ${oldest}`);
    } catch (error) {
      this.wrong.push(`${hostname}: ${String(error)}`);
    }
    this.crawled += 1;
  }
}

async function* documentOf(domain: string, n: number, slowly: boolean): AsyncGenerator<Buffer> {
  // The guard would hold a list that is much shorter than the one before.
  const urls = Array.from({ length: countOf(n) }, (_, index) => ({ loc: locAt(n, index) }));
  const document = Buffer.from(JSON.stringify({ domain, force: true, urls }));
  const pieces = slowly ? 20 : 1;
  const size = Math.ceil(document.length / pieces);
  for (let from = 0; from < document.length; from += size) {
    yield document.subarray(from, from + size);
    if (slowly) await sleep(150);
  }
}

async function readSlowly(url: string, headers: Readonly<Record<string, string>>) {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) {
    chunks.push(chunk);
    await sleep(100);
  }
  return { status: answer.statusCode, body: Buffer.concat(chunks) };
}
