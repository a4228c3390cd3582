/** Parses the values of accounts and plans that an operator sets. Each function throws Refusal VALIDATION_ERROR. */
import { invalidField, unknownName } from '../../platform/refusal.ts';
import {
  isPlanName,
  LIMIT_NAMES,
  limitsSchema,
  PLAN_NAMES,
  type PlanLimits,
  type PlanName,
} from './plans.ts';

/** The form of a ref. A ref stands in paths, so it has no slash, and is neither `.` nor `..`. */
export const ACCOUNT_REF = /^[0-9A-Za-z][0-9A-Za-z._:@+=~-]{0,199}$/;
const REF_RULE =
  'must begin with a letter or digit, and have only these and ._:@+=~- after it, at most 200 in all';

export function parseRef(given: unknown): string {
  if (typeof given !== 'string' || !ACCOUNT_REF.test(given)) throw invalidField('ref', given, REF_RULE);
  return given;
}

export function parsePlanName(given: unknown): PlanName {
  if (typeof given === 'string' && isPlanName(given)) return given;
  throw invalidField('plan', given, `must be one of ${PLAN_NAMES.join(', ')}`);
}

/** Parses limits of a plan as the setting PLANS has them. Null means absent. */
export function parseLimits(given: ReadonlyMap<string, unknown>): Partial<PlanLimits> {
  const set = [...given].map(([name, limit]) => {
    const known = LIMIT_NAMES.find((one) => one === name);
    if (known === undefined) throw unknownName(name, LIMIT_NAMES, limit);
    const isLimit = limitsSchema.shape[known].safeParse(limit ?? undefined).success;
    if (!isLimit) throw invalidField(name, limit, 'must be a whole number of at least 1');
    return [name, limit ?? undefined];
  });
  return Object.fromEntries(set.filter(([, limit]) => limit !== undefined));
}

/** Parses a boolean. Returns undefined for an absent value and for null. */
export function parseSwitch(field: string, given: unknown): boolean | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'boolean') throw invalidField(field, given, 'must be true or false');
  return given;
}
