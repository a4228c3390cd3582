/** The SQL behind hosting: it finds the domains that have a site, and their generations. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { firstRow } from '../../platform/postgres/rows.ts';
import { COUNTS, IS_COUNTED, NEW_GENERATION } from './domain-counts-store.ts';
import type { RecentObjects } from './recent-objects.ts';

/** A condition on a row of `domains`. It must match that of the partial index `domains_host_shard`. */
export const IS_SERVED = `status IN ('verified', 'active')`;

export interface SiteDomain {
  readonly id: string;
  readonly generation: number;
  /** Hosting serves only verified domains (spec D27). */
  readonly isServed: boolean;
  /** The keys of the key files by which page hosts consent (`features/submission/page-host.ts`). */
  readonly indexNowKeys: readonly string[];
  /** Null: the domain has no sitemap of recent changes, or nothing has changed yet. */
  readonly recent: RecentObjects | null;
  /** The time when the number of its files last fell. Null: not known. */
  readonly shrunkAt: Date | null;
  readonly sitemapCount: number;
  /** The number of files of all its sitemaps. */
  readonly fileCount: number;
}

/** Gives the domains new generations. Every change that their sites show must call this or `raiseGenerationsWithCounts`. */
export async function raiseGenerations(
  transaction: Transaction,
  domainIds: readonly string[],
): Promise<void> {
  if (domainIds.length === 0) return;
  await transaction.query({
    name: 'raise-generations',
    text: `UPDATE domains d
              SET generation = raised.generation, counted_generation = CASE WHEN ${IS_COUNTED} THEN raised.generation END
             FROM (SELECT id, ${NEW_GENERATION} AS generation FROM unnest($1::text[]) AS raised (id)) AS raised
            WHERE d.id = raised.id`,
    values: [domainIds],
  });
}

/** Returns a SELECT of `SiteDomain`: the served domain of a hostname, or if none is served, any of its domains. */
export const siteDomainOf = (hostname: string) => `
  SELECT id, generation, ${IS_SERVED} AS "isServed", shrunk_at AS "shrunkAt",
         ARRAY(SELECT key FROM indexnow_hosts WHERE domain_id = d.id ORDER BY host) AS "indexNowKeys",
         (SELECT json_build_object('uploadId', upload_id, 'writtenAt', updated_at, 'files', files, 'feed', feed) FROM recent_sitemaps
           WHERE domain_id = d.id AND upload_id IS NOT NULL) AS recent,
         counts.sitemaps AS "sitemapCount", counts.files AS "fileCount"
    FROM (SELECT * FROM domains WHERE hostname = ${hostname} ORDER BY ${IS_SERVED} DESC LIMIT 1) AS d
         CROSS JOIN LATERAL ${COUNTS} AS counts`;

export function findSiteDomain(queryable: Queryable, hostname: string) {
  return firstRow<SiteDomain>(queryable, siteDomainOf('$1'), [hostname]);
}

/** Lists the first `limit` hostnames after `after`, sorted by name. */
export async function listHostnames(queryable: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await queryable.query<{ hostname: string }>(
    'SELECT DISTINCT hostname FROM domains WHERE hostname > $1 ORDER BY hostname LIMIT $2',
    [after, limit],
  );
  return rows.map(({ hostname }) => hostname);
}

/**
 * Reads the hashes of shards of the host directory (`features/sites/host-directory.ts`). The hashes of a shard are in ascending order.
 * `wanted`: the numbers of the shards. `shards`: how many shards the directory has.
 */
export async function readHostHashes(
  queryable: Queryable,
  wanted: readonly number[],
  shards: number,
): Promise<Map<number, Buffer>> {
  const found = new Map<number, Buffer>();
  for (const shard of wanted) found.set(shard, await readShard(queryable, shard, shards));
  return found;
}

async function readShard(queryable: Queryable, shard: number, shards: number): Promise<Buffer> {
  // The low bits of the first byte are the number of the shard, so a shard consists of one range of hashes for each of its first bytes. The
  // bound after a range is its first byte and eight times 0xff, because a hash has eight bytes.
  const firstBytes = Array.from({ length: 256 / shards }, (_, n) => n * shards + shard);
  const bounds = firstBytes.flatMap((byte) => [Buffer.of(byte), Buffer.of(byte, ...Array(8).fill(0xff))]);
  // Pass the bounds as parameters. If the bounds are expressions, the planner expects a tenth of all domains in each range, and reads the
  // whole table.
  const ranges = firstBytes.map(
    (_, n) => `SELECT host_hash AS hash FROM domains
                WHERE ${IS_SERVED} AND host_hash >= $${2 * n + 3} AND host_hash < $${2 * n + 4}`,
  );
  const { rows } = await queryable.query<{ hosts: Buffer | null }>(
    slowStatement(
      `SELECT string_agg(hash, ''::bytea ORDER BY hash) AS hosts
         FROM (${ranges.join(' UNION ALL ')}
               -- These rows have no hash until the backfill has reached them.
               UNION SELECT ${HASH} FROM domains
                      WHERE ${IS_SERVED} AND host_hash IS NULL AND get_byte(${HASH}, 0) % $2::integer = $1) AS hashes`,
      [shard, shards, ...bounds],
      `read-${ranges.length}-ranges-of-host-hashes`,
    ),
  );
  return rows[0]!.hosts ?? Buffer.alloc(0);
}

const HASH = 'substring(sha256(hostname::bytea) FOR 8)';
