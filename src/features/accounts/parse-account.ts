/** Parses what an operator sets of an account. Each throws Refusal VALIDATION_ERROR. */
import { invalidField } from '../../platform/refusal.ts';
import { isPlanName, PLAN_NAMES, type PlanName } from './plans.ts';

/** Without slashes, because it stands in paths, and not as `.` or `..`. */
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

/** Undefined if nothing is given. */
export function parseSwitch(field: string, given: unknown): boolean | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'boolean') throw invalidField(field, given, 'must be true or false');
  return given;
}
