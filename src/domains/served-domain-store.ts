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
  /** Of all its sitemaps. */
  readonly fileCount: number;
}

/** Gives the domains new generations. Every change of what their sites show must call it, or the next one. */
export async function raiseGenerations(
  transaction: Transaction,
  domainIds: readonly string[],
): Promise<void> {
  await transaction.query({
    name: 'raise-generations',
    text: `UPDATE domains SET generation = nextval('site_generations') WHERE id = ANY($1)`,
    values: [domainIds],
  });
}

/** Does the same for domains whose uploads have changed, with their stored bytes: one version of each row in place of two. */
export async function raiseGenerationsWithBytes(
  transaction: Transaction,
  domains: readonly { readonly id: string; readonly gzipBytes: number }[],
): Promise<void> {
  await transaction.query({
    name: 'raise-generations-with-bytes',
    text: `UPDATE domains SET generation = nextval('site_generations'), stored_bytes = counted.bytes
             FROM unnest($1::text[], $2::bigint[]) AS counted (id, bytes) WHERE domains.id = counted.id`,
    values: [domains.map(({ id }) => id), domains.map(({ gzipBytes }) => gzipBytes)],
  });
}

/** A SELECT of `SiteDomain`: the served domain of a hostname. If there is none, any domain of it. */
export const siteDomainOf = (hostname: string) => `
  SELECT id, generation, ${IS_SERVED} AS "isServed",
         ARRAY(SELECT key FROM indexnow_hosts WHERE domain_id = domains.id ORDER BY host) AS "indexNowKeys",
         (SELECT coalesce(sum(u.file_count), 0) FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
           WHERE s.domain_id = domains.id) AS "fileCount"
    FROM domains WHERE hostname = ${hostname} ORDER BY ${IS_SERVED} DESC LIMIT 1`;

export async function findSiteDomain(
  queryable: Queryable,
  hostname: string,
): Promise<SiteDomain | undefined> {
  const { rows } = await queryable.query<SiteDomain>(siteDomainOf('$1'), [hostname]);
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
