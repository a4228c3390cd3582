/** Operations on the limits of plans. Limits that the operator has set here replace the limits of the setting PLANS. */
import { z } from 'zod';
import type { LivePlans } from '../../features/accounts/open-plans.ts';
import { parseLimits, parsePlanName } from '../../features/accounts/parse-account.ts';
import { limitsSchema } from '../../features/accounts/plans.ts';
import { withShownTimes } from '../../platform/iso-seconds.ts';
import { tagged } from '../api/operation.ts';
import { answered, answeredList, described, jsonBody, text, time } from '../api/shapes.ts';
import { limits, planName, WHOLE_ACCOUNT } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface PlanNeeds {
  readonly livePlans: Pick<LivePlans, 'list' | 'put' | 'reset'>;
}

const plan = z
  .object({
    name: planName,
    limits: described(z.object(limits), 'Those that hold.'),
    set: described(
      z.object(limits).partial(),
      'Those that you have set. The others are those of the setting `PLANS`.',
    ),
    changedAt: time.nullable(),
    changedBy: described(text.nullable(), 'As the audit log names operators.'),
  })
  .meta({ id: 'Plan' });

const { uploadsUnderWay: _uploadsUnderWay, ...LIMITS } = WHOLE_ACCOUNT.limits;
const EXAMPLE = {
  name: 'pro',
  limits: { ...LIMITS, domains: 20 },
  set: { domains: 20 },
  changedAt: '2026-01-15T10:00:00Z',
  changedBy: 'operator token terraform',
};

export const planOperations = tagged('Plans', [
  operatorOperation('get', '/operator/plans', {
    id: 'listPlans',
    summary: 'Lists the plans with their limits',
    answer: answeredList('All plans, the smallest first.', z.array(plan), EXAMPLE),
    run: async ({ livePlans }: PlanNeeds) => (await livePlans.list()).map(withShownTimes),
  }),
  operatorOperation('get', '/operator/plans/{plan}', {
    id: 'getPlan',
    summary: 'Shows a plan',
    answer: answered(200, 'The plan.', plan, EXAMPLE),
    async run({ livePlans }: PlanNeeds, { path }) {
      const name = parsePlanName(path.plan);
      return withShownTimes((await livePlans.list()).find((one) => one.name === name)!);
    },
  }),
  operatorOperation('put', '/operator/plans/{plan}', {
    id: 'putPlan',
    summary: 'Sets limits of a plan',
    description:
      'Limits that the body does not have are those of the setting `PLANS` again. All processes know them within 3 seconds.',
    body: jsonBody(z.strictObject(limitsSchema.shape), { domains: 20 }),
    answer: answered(200, 'The plan.', plan, EXAMPLE),
    async run({ livePlans }: PlanNeeds, { caller, path, members }) {
      const name = parsePlanName(path.plan);
      return withShownTimes(await livePlans.put(caller, name, parseLimits(await members())));
    },
  }),
  operatorOperation('delete', '/operator/plans/{plan}', {
    id: 'resetPlan',
    summary: 'Takes back what you have set of a plan',
    answer: answered(200, 'The plan, as in the setting.', plan, {
      ...EXAMPLE,
      ...{ limits: LIMITS, set: {}, changedAt: null, changedBy: null },
    }),
    run: async ({ livePlans }: PlanNeeds, { path }) =>
      withShownTimes(await livePlans.reset(parsePlanName(path.plan))),
  }),
]);
