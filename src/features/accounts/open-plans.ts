/**
 * The current limits of plans: limits that operators have set replace the limits of the setting PLANS. A process reads the rows of plans
 * every two seconds, so no request reads them.
 */
import { type Repetition, repeat } from '../../platform/concurrency/repeat.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { nameOfOperator, type Operator } from './actor.ts';
import { deletePlanRow, listPlanRows, type PlanRow, putPlanRow } from './plan-store.ts';
import { PLAN_NAMES, type PlanLimits, type PlanName, type Plans } from './plans.ts';

export interface OpenPlansOptions {
  readonly database: Database;
  readonly log: Log;
  /** The plans of the setting PLANS. */
  readonly defaults: Plans;
  readonly everyMs?: number;
}

/** A plan with its current limits. `set`: those limits that an operator has set. */
export interface ShownPlan extends Omit<PlanRow, 'changedAt' | 'changedBy' | 'limits'> {
  readonly limits: PlanLimits;
  readonly set: Partial<PlanLimits>;
  readonly changedAt: Date | null;
  readonly changedBy: string | null;
}

export interface LivePlans extends Repetition {
  /** The current limits of each plan. This object changes in place. */
  readonly plans: Plans;
  readonly list: () => Promise<ShownPlan[]>;
  /**
   * Sets the limits of the plan. A limit that is absent from `limits` comes from the setting PLANS again. This process uses the new limits
   * at once.
   */
  readonly put: (operator: Operator, name: PlanName, limits: Partial<PlanLimits>) => Promise<ShownPlan>;
  /** Deletes the limits that operators have set. The limits of the setting PLANS apply again. */
  readonly reset: (name: PlanName) => Promise<ShownPlan>;
}

const EVERY_MS = 2000;

/**
 * Reads the rows once before the promise resolves. If this read fails, the limits of the setting PLANS apply. If a later read fails, the
 * limits of the last read apply.
 */
export async function openPlans(options: OpenPlansOptions): Promise<LivePlans> {
  const { database, log, defaults, everyMs = EVERY_MS } = options;
  const plans: Record<PlanName, PlanLimits> = { ...defaults };
  const list = async () => {
    const shown = showPlans(defaults, await listPlanRows(database));
    for (const { name, limits } of shown) plans[name] = limits;
    return shown;
  };
  const refresh = () =>
    list().then(
      () => {},
      (err) => log.info({ err }, 'the plans cannot be read: the last ones hold'),
    );
  const one = async (name: PlanName) => (await list()).find((plan) => plan.name === name)!;
  await refresh();
  return {
    ...repeat(refresh, everyMs),
    plans,
    list,
    async put(operator, name, limits) {
      await putPlanRow(database, name, limits, nameOfOperator(operator));
      return one(name);
    },
    async reset(name) {
      await deletePlanRow(database, name);
      return one(name);
    },
  };
}

/** Returns all plans, in the order of their size. */
export function showPlans(defaults: Plans, rows: readonly PlanRow[]): ShownPlan[] {
  return PLAN_NAMES.map((name) => {
    const row = rows.find((one) => one.name === name);
    const { limits: set = {}, changedAt = null, changedBy = null } = row ?? {};
    return { name, limits: { ...defaults[name], ...set }, set, changedAt, changedBy };
  });
}
