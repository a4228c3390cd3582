/** The SQL that finds needs. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import type { Found } from './cause.ts';
import { CAUSES, FOUND_CAUSES } from './causes.ts';
import type { Needs } from './need.ts';

const FACTS = CAUSES.map(
  ({ kinds, facts }) => `WHEN n.kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')}) THEN (${facts})`,
).join('\n           ');

/**
 * Finds the first `limit` needs of the account, or of some of its domains, by urgency. `onlyFirst`: finds only the first need of each
 * domain. The counts are those of all needs, also beyond `limit`.
 */
export async function findNeeds(
  queryable: Queryable,
  accountId: string,
  domainIds: readonly string[] | undefined,
  limit: number,
  onlyFirst = false,
): Promise<{ readonly found: readonly Found<never>[] } & Pick<Needs, 'counts'>> {
  // The statement takes more than a second for an account with 100,000 needs.
  const { rows } = await queryable.query<Found<never> & Pick<Needs, 'counts'>>(
    slowStatement(
      `
      WITH found AS MATERIALIZED (
        SELECT * FROM (${FOUND_CAUSES}) AS n WHERE $2::text[] IS NULL OR n.domain_id = ANY($2)
      )
      SELECT n.kind, n.domain_id AS "domainId", d.hostname, n.subject, n.since, n.deadline,
             CASE WHEN n.is_bad THEN 'bad' ELSE 'waiting' END AS severity, now() AS now,
             CASE ${FACTS} END AS facts,
             (SELECT json_object_agg(kind, count) FROM (SELECT kind, count(*) AS count FROM found GROUP BY kind) AS c) AS counts
        FROM (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY domain_id ORDER BY urgency, kind, subject) AS place FROM found) AS f
               WHERE NOT $4 OR place = 1 ORDER BY urgency, domain_id, kind, subject LIMIT $3) AS n
             JOIN domains d ON d.id = n.domain_id
       ORDER BY n.urgency, n.domain_id, n.kind, n.subject`,
      [accountId, domainIds ?? null, limit, onlyFirst],
      'find-needs',
    ),
  );
  return { found: rows, counts: rows[0]?.counts ?? {} };
}
