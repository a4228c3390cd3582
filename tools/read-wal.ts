/** Reads from the log of a Postgres server (WAL) which records some work on a database has written. Needs the extension pg_walinspect. */
import type { ClientBase, Pool } from 'pg';

type Queryable = Pick<ClientBase | Pool, 'query'>;

/** Flushes the log, and returns its end. Commits that have not waited for the disk lie before this end. */
export async function walPosition(queryable: Queryable): Promise<string> {
  const { rows } = await queryable.query(
    "SELECT pg_logical_emit_message(false, 'position', '', true) AS lsn",
  );
  return rows[0].lsn;
}

/** The records that were written for a table or an index. */
export interface RelationWal {
  /** Null: records of the whole server that belong to no page, such as commits. */
  readonly relation: string | null;
  readonly bytes: number;
  /** Pages that were written as a whole, because they changed for the first time after a checkpoint. */
  readonly fullPages: number;
  readonly fullPageBytes: number;
  readonly updates: number;
  /** The number of `updates` that changed no index. */
  readonly hotUpdates: number;
}

/** Returns the relations of the current database, the largest first. */
export async function readWal(
  queryable: Queryable,
  from: string,
  to: string,
): Promise<readonly RelationWal[]> {
  const { rows } = await queryable.query(
    `WITH blocks AS (
       SELECT start_lsn, reldatabase, relfilenode, resource_manager, record_type, block_fpi_length AS fpi,
              block_data_length + block_fpi_length AS own, record_length,
              sum(block_data_length + block_fpi_length) OVER record AS all_blocks, row_number() OVER record AS n
         FROM pg_get_wal_block_info($1, $2, false) WINDOW record AS (PARTITION BY start_lsn ORDER BY block_id
                RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
     ), parts AS (
       -- The head of a record counts for its first page.
       SELECT relfilenode, fpi, own + CASE WHEN n = 1 THEN record_length - all_blocks ELSE 0 END AS bytes,
              n = 1 AND resource_manager = 'Heap' AND record_type ~ 'UPDATE' AS is_update, record_type ~ 'HOT' AS is_hot
         FROM blocks WHERE reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
       UNION ALL
       SELECT NULL, 0, record_length, false, false FROM pg_get_wal_records_info($1, $2)
        WHERE start_lsn NOT IN (SELECT start_lsn FROM blocks)
     )
     SELECT c.oid::regclass::text AS relation, sum(bytes)::float8 AS bytes, count(*) FILTER (WHERE fpi > 0)::float8 AS "fullPages",
            sum(fpi)::float8 AS "fullPageBytes", count(*) FILTER (WHERE is_update)::float8 AS updates,
            count(*) FILTER (WHERE is_update AND is_hot)::float8 AS "hotUpdates"
       FROM parts LEFT JOIN pg_class c ON pg_relation_filenode(c.oid) = parts.relfilenode
      GROUP BY 1 ORDER BY 2 DESC`,
    [from, to],
  );
  return rows;
}
