/** The SQL behind hosting: which domains have a site, and of which generation. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';

/** Of a row of `domains`. The partial index `domains_host_shard` has the same words. */
export const IS_SERVED = `status IN ('verified', 'active')`;

export interface SiteDomain {
  readonly id: string;
  readonly generation: number;
  /** Hosting serves only verified domains (spec D27). */
  readonly isServed: boolean;
  /** Of the files that prove the consent of page hosts (`submission/page-host.ts`). */
  readonly indexNowKeys: readonly string[];
}

/** Gives the domain a new generation. Every change of what the site shows must call it. */
export async function raiseGeneration(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query(`UPDATE domains SET generation = nextval('site_generations') WHERE id = $1`, [
    domainId,
  ]);
}

/** The served domain of a hostname. If there is none, any domain of it. */
export async function findSiteDomain(
  queryable: Queryable,
  hostname: string,
): Promise<SiteDomain | undefined> {
  const { rows } = await queryable.query<SiteDomain>(
    `SELECT id, generation, ${IS_SERVED} AS "isServed",
            ARRAY(SELECT key FROM indexnow_hosts WHERE domain_id = domains.id ORDER BY host) AS "indexNowKeys"
       FROM domains WHERE hostname = $1
      ORDER BY ${IS_SERVED} DESC LIMIT 1`,
    [hostname],
  );
  return rows[0];
}

/** Sorted by name: the first `limit` after `after`. */
export async function listHostnames(queryable: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await queryable.query<{ hostname: string }>(
    'SELECT DISTINCT hostname FROM domains WHERE hostname > $1 ORDER BY hostname LIMIT $2',
    [after, limit],
  );
  return rows.map(({ hostname }) => hostname);
}

/** The hashes of one shard of the host directory, in ascending order (`sites/host-directory.ts`). */
export async function readHostHashes(queryable: Queryable, shard: number, shards: number): Promise<Buffer> {
  const { rows } = await queryable.query<{ hosts: Buffer | null }>(
    slowStatement(
      `SELECT string_agg(hash, ''::bytea ORDER BY hash) AS hosts
         FROM (SELECT DISTINCT substring(sha256(hostname::bytea) FOR 8) AS hash FROM domains
                WHERE ${IS_SERVED} AND get_byte(sha256(hostname::bytea), 0) % $2 = $1) AS hashes`,
      [shard, shards],
    ),
  );
  return rows[0]!.hosts ?? Buffer.alloc(0);
}
