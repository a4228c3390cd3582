/** Makes 10,000 tenants by the operator's API, each with an account, a key and a verified domain, and lists all accounts by pages. */
import { newOperatorToken } from '../src/features/accounts/operator-token.ts';
import { freePort } from '../tools/free-port.ts';
import { open } from '../tools/http-exchange.ts';
import { startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { descendantSeconds, processorSeconds } from './process-usage.ts';
import { scaled } from './scale.ts';

const TENANTS = 10_000;
const AT_ONCE = 100;
const CLIENTS = 2;
const PAGE = 100;

export async function* benchTenants(scale: number): AsyncGenerator<Figure, void, undefined> {
  const tenants = scaled(TENANTS, scale);
  const { token, entry } = newOperatorToken('bench');
  const port = await freePort();
  await using waypost = await startBenchWaypost({
    ...{ OPERATOR_PORT: String(port), OPERATOR_TOKENS: entry, OPERATOR_REQUESTS_PER_MINUTE: '10000000' },
    // No server answers for these names, and the local authority does not certify them. So no certificates are made meanwhile.
    ...{ DNS_SERVERS: '127.0.0.1:9', LOG_LEVEL: 'warn' },
  });
  const ask = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const answer = await open(`http://127.0.0.1:${port}/operator/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: [Buffer.from(JSON.stringify(body))] }),
    });
    const text = Buffer.concat(await answer.toArray()).toString();
    if (answer.statusCode! >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  const make = async (from: number) => {
    const numbers = Array.from({ length: Math.min(AT_ONCE, tenants - from) }, (_, i) => from + i);
    const made = await ask<Made>('PUT', 'tenants', {
      tenants: numbers.map((n) => ({
        ...{ ref: `tenant-${n}`, name: `Tenant ${n}`, plan: 'pro' },
        domains: [{ hostname: `tenant-${n}.example.net`, verified: true }],
        keys: [{ name: 'CI', actions: ['upload'] }],
      })),
    });
    const failed = made.data.tenants.find(({ error, keys }) => error !== null || !keys[0]?.key);
    if (failed !== undefined) throw new Error(`a tenant was not made: ${JSON.stringify(failed)}`);
  };
  const { pid } = waypost;
  const used = async () => (await processorSeconds(pid)) + (await descendantSeconds(pid));
  const [usedBefore, startedAt] = [await used(), performance.now()];
  let next = 0;
  const work = async () => {
    while (next < tenants) {
      const from = next;
      next += AT_ONCE;
      await make(from);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const processor = (await used()) - usedBefore;
  const share = TENANTS / tenants;
  yield {
    name: '10,000 tenants, each with a key and a verified domain',
    value: seconds * share,
    unit: 's',
    goal: { atMost: 60 },
  };
  yield { name: '… processor time of Waypost and its Postgres', value: processor * share, unit: 's' };

  const listedAt = performance.now();
  let pages = 0;
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const page: Page = await ask<Page>('GET', `accounts?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
    cursor = page.pagination.cursor;
    pages++;
  }
  yield { name: '… a page of 100 accounts', value: (performance.now() - listedAt) / pages, unit: 'ms' };
}

interface Made {
  readonly data: {
    readonly tenants: readonly {
      readonly error: object | null;
      readonly keys: readonly { readonly key: string | null }[];
    }[];
  };
}

interface Page {
  readonly pagination: { readonly cursor?: string };
}
