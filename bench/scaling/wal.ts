/**
 * Measures the WAL that small uploads write after a checkpoint, and for which tables and indexes. The first change of a page after a
 * checkpoint writes the whole page. Uploads into one domain share such pages, and uploads into many domains do not. The database has as
 * many domains as an operator (tools/filled). Only the API runs, so the WAL of jobs is not counted.
 */
import { join } from 'node:path';
import pg from 'pg';
import { newApiKey } from '../../src/features/accounts/api-key.ts';
import { hashToken } from '../../src/features/accounts/secret-token.ts';
import { type RelationWal, readWal, walPosition } from '../../tools/read-wal.ts';
import { uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { startApi } from '../start-api.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';
import { startFilledPostgres } from './filled-postgres.ts';

const DOMAINS = 20_000;
const UPLOADS = 200;
const URLS = 100;
const GOAL_KB = 9;
/** The plans of the filled accounts, with a limit of requests that no upload reaches. */
const PLANS = JSON.stringify(
  Object.fromEntries(['free', 'pro', 'business'].map((plan) => [plan, { requestsPerMinute: 1e6 }])),
);
/** Relations with fewer bytes for each upload are not printed. */
const LEAST_BYTES = 100;

/** A domain, and a key of its account. */
interface Place {
  readonly hostname: string;
  readonly key: string;
}

export async function* benchWal(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const settings = { fsync: 'off', max_wal_size: '8GB', checkpoint_timeout: '1h', autovacuum: 'off' };
  const domains = Math.max(1000, Math.round(DOMAINS * scale));
  const { url, folder } = await startFilledPostgres(scope, 'wal', { settings }, { domains });
  const client = new pg.Client({ connectionString: url.reveal() });
  await client.connect();
  scope.defer(() => client.end());
  await client.query('CREATE EXTENSION pg_walinspect');
  const uploads = Math.max(20, Math.round(UPLOADS * scale));
  const places = await openPlaces(client, 2 * uploads + 4);
  const entries = plainEntries(URLS);
  let next = 0;
  for (const compression of ['on', 'off']) {
    // The server has the setting on its command line. That of the role comes before it, in new sessions.
    await client.query(`ALTER ROLE CURRENT_USER SET wal_compression = ${compression}`);
    await using api = await startApi({ dataDir: folder }, { STORAGE_DIR: join(folder, 'objects'), PLANS });
    const upload = ({ hostname, key }: Place) => {
      const body = uploadBody(entries, { members: { domain: hostname } });
      return uploadSeconds({ apiUrl: `http://127.0.0.1:${api.port}`, apiKey: key }, body, URLS);
    };
    for (const isOne of [true, false]) {
      const one = places[next++]!;
      const placeOf = () => (isOne ? one : places[next++]!);
      // The first upload does not count: each process makes its plans of statements once.
      await upload(one);
      await client.query('CHECKPOINT');
      const from = await walPosition(client);
      for (let n = 0; n < uploads; n++) await upload(placeOf());
      const wal = await readWal(client, from, await walPosition(client));
      const name = isOne ? 'again into one domain' : 'each into another domain';
      // The Postgres that we start compresses full pages. Without compression, the list of relations shows where full pages come from.
      const isShipped = compression === 'on';
      yield* figuresOf(isShipped ? name : `${name}, without wal_compression`, uploads, wal, {
        hasRelations: !isShipped,
        ...(isOne && isShipped && { goal: { atMost: GOAL_KB } }),
      });
    }
  }
}

/** Chooses domains of many accounts, and gives each account a key that we know. */
async function openPlaces(client: pg.Client, count: number): Promise<readonly Place[]> {
  const { rows } = await client.query<{ hostname: string; keyId: string }>(
    `SELECT d.hostname, k.id AS "keyId" FROM domains d JOIN api_keys k USING (account_id)
      WHERE d.status = 'active' ORDER BY md5(d.id) LIMIT $1`,
    [count],
  );
  const keys = new Map(rows.map(({ keyId }) => [keyId, newApiKey()]));
  for (const [id, key] of keys)
    await client.query('UPDATE api_keys SET key_hash = $2 WHERE id = $1', [id, hashToken(key)]);
  return rows.map(({ hostname, keyId }) => ({ hostname, key: keys.get(keyId)! }));
}

function* figuresOf(
  name: string,
  uploads: number,
  wal: readonly RelationWal[],
  { hasRelations, ...goal }: Pick<Figure, 'goal'> & { readonly hasRelations: boolean },
): Generator<Figure> {
  const each = (value: (one: RelationWal) => number) =>
    wal.reduce((sum, one) => sum + value(one), 0) / uploads / 1000;
  yield { name: `WAL of an upload, ${name}`, value: each(({ bytes }) => bytes), unit: 'kB', ...goal };
  yield { name: '  of it full pages', value: each(({ fullPageBytes }) => fullPageBytes), unit: 'kB' };
  if (!hasRelations) return;
  for (const { relation, bytes, fullPages } of wal) {
    if (bytes / uploads < LEAST_BYTES) continue;
    const pages = (fullPages / uploads).toFixed(2);
    yield {
      name: `  ${relation ?? 'commits'} (${pages} full pages)`,
      value: bytes / uploads / 1000,
      unit: 'kB',
    };
  }
}
