/** The plans and their limits (spec 8, spec D11, spec D31). */
import { z } from 'zod';
import { ConfigError } from '../../platform/process/config-error.ts';

const limit = z.int().min(1);
const planLimits = z.strictObject({
  requestsPerMinute: limit,
  domains: limit,
  urlsPerUpload: limit,
  /** The compressed bytes of live files, over all domains of an account. */
  storedBytes: limit,
  sitemapsPerDomain: limit,
});
export type PlanLimits = Readonly<z.infer<typeof planLimits>>;
export const LIMIT_NAMES = Object.keys(planLimits.shape) as (keyof PlanLimits)[];
/** Limits that replace the default ones. */
export const limitsSchema = planLimits.partial();

const MB = 1e6;
const GB = 1000 * MB;
/** The multiple of `storedBytes` up to which we keep replaced uploads for crawlers. */
const REPLACED_PER_STORED = 10;

const DEFAULTS = {
  free: limits(5, 1, 10_000, 100 * MB, 10),
  starter: limits(20, 3, 100_000, GB, 50),
  pro: limits(100, 5, 500_000, 10 * GB, 200),
  business: limits(500, 50, 5_000_000, 100 * GB, 1000),
  enterprise: limits(1000, 1000, 100_000_000, 2000 * GB, 10_000),
} as const satisfies Record<string, PlanLimits>;

export type PlanName = keyof typeof DEFAULTS;
export type Plans = Readonly<Record<PlanName, PlanLimits>>;

export const PLAN_NAMES = Object.keys(DEFAULTS) as PlanName[];

export function isPlanName(text: string): text is PlanName {
  return Object.hasOwn(DEFAULTS, text);
}

const overridesSchema = z.partialRecord(z.enum(PLAN_NAMES), limitsSchema);

/** Reads the plans. `overrides`: JSON as in {"free":{"domains":2}}; missing members keep their defaults. Throws ConfigError. */
export function readPlans(overrides = '{}'): Plans {
  let given: z.infer<typeof overridesSchema>;
  try {
    given = overridesSchema.parse(JSON.parse(overrides));
  } catch (cause) {
    throw new ConfigError('PLANS is not valid. It must be JSON, as in {"free":{"domains":2}}.', { cause });
  }
  const plans = PLAN_NAMES.map((name) => [name, { ...DEFAULTS[name], ...given[name] }]);
  return Object.fromEntries(plans);
}

/** Returns, by plan, the gzip bytes of replaced uploads that an account may keep. */
export function replacedBytesOf(plans: Plans): Readonly<Record<PlanName, number>> {
  const bytes = PLAN_NAMES.map((name) => [name, REPLACED_PER_STORED * plans[name].storedBytes]);
  return Object.fromEntries(bytes);
}

function limits(
  requestsPerMinute: number,
  domains: number,
  urlsPerUpload: number,
  storedBytes: number,
  sitemapsPerDomain: number,
): PlanLimits {
  return { requestsPerMinute, domains, urlsPerUpload, storedBytes, sitemapsPerDomain };
}
