/** Parses the members of `PATCH /api/domains/:id` (spec D36). */
import { parseSwitch } from '../../features/accounts/parse-account.ts';
import { PLACEMENTS, type Placement } from '../../features/domains/domain.ts';
import { MAX_HOURS, MIN_HOURS } from '../../features/recent/change-recent.ts';
import type { RecentSettings } from '../../features/recent/recent-store.ts';
import { invalidField, unknownName } from '../../platform/refusal.ts';

/** Parses whether IndexNow is on. Undefined if the body does not change it. Throws Refusal VALIDATION_ERROR. */
export function parseIndexNow(given: unknown): boolean | undefined {
  const { enabled } = membersOf('indexNow', given, ['enabled'], 'an object, as in {"enabled": true}');
  return parseSwitch('indexNow.enabled', enabled);
}

/** Returns the placement; undefined if the body does not change it. Throws Refusal VALIDATION_ERROR. */
export function parsePlacement(given: unknown): Placement | undefined {
  if (given === undefined || given === null) return undefined;
  const placement = PLACEMENTS.find((known) => known === given);
  if (placement === undefined)
    throw invalidField('placement', given, `must be one of ${PLACEMENTS.join(', ')}`);
  return placement;
}

/** Returns the settings to change; undefined if none is given. Absent members do not change. Throws Refusal VALIDATION_ERROR. */
export function parseRecent(given: unknown): Partial<RecentSettings> | undefined {
  const form = 'an object, as in {"enabled": true, "hours": 72}';
  const { enabled, hours } = membersOf('recent', given, ['enabled', 'hours'], form);
  const isEnabled = parseSwitch('recent.enabled', enabled);
  const hasHours = hours !== undefined && hours !== null;
  if (hasHours && !isWholeBetween(hours, MIN_HOURS, MAX_HOURS))
    throw invalidField('recent.hours', hours, `must be a whole number from ${MIN_HOURS} to ${MAX_HOURS}`);
  if (isEnabled === undefined && !hasHours) return undefined;
  return {
    ...(isEnabled !== undefined && { enabled: isEnabled }),
    ...(hasHours && { hours: Number(hours) }),
  };
}

/** Parses a guard's percentage; null for no guard, undefined if the body does not change it. Throws Refusal VALIDATION_ERROR. */
export function parseGuard(given: unknown): number | null | undefined {
  if (given === null) return null;
  const form = 'an object, as in {"maxRemovedPercent": 30}, or null';
  const { maxRemovedPercent } = membersOf('guard', given, ['maxRemovedPercent'], form);
  if (maxRemovedPercent === undefined || maxRemovedPercent === null) return maxRemovedPercent;
  if (isWholeBetween(maxRemovedPercent, 0, 100)) return Number(maxRemovedPercent);
  const message = 'must be a whole number from 0 to 100, or null';
  throw invalidField('guard.maxRemovedPercent', maxRemovedPercent, message);
}

/** Returns the members of an object in the body; none if it is absent or null. `form`: what it must be, for people. Throws Refusal. */
function membersOf(
  field: string,
  given: unknown,
  known: readonly string[],
  form: string,
): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) throw invalidField(field, given, `must be ${form}`);
  const names = known.map((name) => `${field}.${name}`);
  const members = Object.entries(given);
  for (const [name, value] of members) {
    if (!known.includes(name)) throw unknownName(`${field}.${name}`, names, value);
  }
  return Object.fromEntries(members);
}

function isWholeBetween(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
