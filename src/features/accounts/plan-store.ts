/** The SQL of plans: the limits that operators have set, which replace limits of the setting PLANS. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { isPlanName, LIMIT_NAMES, type PlanLimits, type PlanName } from './plans.ts';

/** A plan that an operator has changed. */
export interface PlanRow {
  readonly name: PlanName;
  /** The limits that an operator has set. */
  readonly limits: Partial<PlanLimits>;
  readonly changedAt: Date;
  /** The name of the operator, as in the audit log. */
  readonly changedBy: string;
}

const COLUMNS: Readonly<Record<keyof PlanLimits, string>> = {
  requestsPerMinute: 'requests_per_minute',
  domains: 'domains',
  urlsPerUpload: 'urls_per_upload',
  storedBytes: 'stored_bytes',
  sitemapsPerDomain: 'sitemaps_per_domain',
};

export async function listPlanRows(queryable: Queryable): Promise<PlanRow[]> {
  const { rows } = await queryable.query(
    `SELECT name, changed_at AS "changedAt", changed_by AS "changedBy",
            ${LIMIT_NAMES.map((name) => `${COLUMNS[name]} AS "${name}"`).join(', ')} FROM plans`,
  );
  // A newer version of the program may have stored plans that this version does not know.
  return rows
    .filter(({ name }) => isPlanName(name))
    .map(({ name, changedAt, changedBy, ...limits }) => {
      const set = Object.entries(limits).filter(([, limit]) => limit !== null);
      return { name, changedAt, changedBy, limits: Object.fromEntries(set) };
    });
}

/** Sets the limits of the plan. A limit that is absent from `limits` comes from the setting PLANS again. */
export async function putPlanRow(
  queryable: Queryable,
  name: PlanName,
  limits: Partial<PlanLimits>,
  changedBy: string,
): Promise<void> {
  const columns = LIMIT_NAMES.map((limit) => COLUMNS[limit]);
  await queryable.query(
    `INSERT INTO plans (name, changed_by, ${columns.join(', ')}) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (name) DO UPDATE SET changed_at = now(), changed_by = excluded.changed_by,
       ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [name, changedBy, ...LIMIT_NAMES.map((limit) => limits[limit] ?? null)],
  );
}

export async function deletePlanRow(queryable: Queryable, name: PlanName): Promise<void> {
  await queryable.query('DELETE FROM plans WHERE name = $1', [name]);
}
