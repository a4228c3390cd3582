/** The plans and their limits. The request rates are the specification's (section 8), the others ours. */
import { z } from 'zod';
import { ConfigError } from '../platform/config-error.ts';

export interface PlanLimits {
  readonly requestsPerMinute: number;
  readonly domains: number;
  readonly urlsPerUpload: number;
}

const DEFAULTS = {
  free: { requestsPerMinute: 5, domains: 1, urlsPerUpload: 10_000 },
  starter: { requestsPerMinute: 20, domains: 3, urlsPerUpload: 100_000 },
  pro: { requestsPerMinute: 100, domains: 5, urlsPerUpload: 500_000 },
  business: { requestsPerMinute: 500, domains: 50, urlsPerUpload: 5_000_000 },
  enterprise: { requestsPerMinute: 1000, domains: 1000, urlsPerUpload: 100_000_000 },
} as const satisfies Record<string, PlanLimits>;

export type PlanName = keyof typeof DEFAULTS;
export type Plans = Readonly<Record<PlanName, PlanLimits>>;

export const PLAN_NAMES = Object.keys(DEFAULTS) as PlanName[];

export function isPlanName(text: string): text is PlanName {
  return Object.hasOwn(DEFAULTS, text);
}

const limit = z.int().min(1).optional();
const overridesSchema = z.partialRecord(
  z.enum(PLAN_NAMES),
  z.strictObject({ requestsPerMinute: limit, domains: limit, urlsPerUpload: limit }),
);

/** `overrides`: JSON as in {"free":{"domains":2}}; what it leaves out keeps its default. Throws ConfigError. */
export function readPlans(overrides = '{}'): Plans {
  let given: z.infer<typeof overridesSchema>;
  try {
    given = overridesSchema.parse(JSON.parse(overrides));
  } catch (cause) {
    throw new ConfigError('PLANS is not right. It takes JSON, as in {"free":{"domains":2}}.', { cause });
  }
  const plans = PLAN_NAMES.map((name) => [name, { ...DEFAULTS[name], ...given[name] }]);
  return Object.fromEntries(plans);
}
