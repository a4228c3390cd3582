/** Parses the members of `PATCH /api/domains/:id` (spec D36). `POST /api/domains` has one of them: `website`. */
import { PLACEMENTS, type Placement } from '../../features/domains/domain.ts';
import { MAX_HOURS, MIN_HOURS } from '../../features/recent/change-recent.ts';
import type { RecentSettings } from '../../features/recent/recent-store.ts';
import { invalidField, unknownName } from '../../platform/refusal.ts';

/** Parses whether IndexNow is on. Undefined when the body does not change it. Throws Refusal VALIDATION_ERROR. */
export function parseIndexNow(given: unknown): boolean | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw invalidField('indexNow', given, 'must be an object, as in {"enabled": true}');
  }
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'enabled') throw unknownName(`indexNow.${name}`, ['indexNow.enabled'], value);
  }
  const { enabled } = given as { enabled?: unknown };
  if (enabled === undefined || enabled === null) return undefined;
  if (typeof enabled !== 'boolean') throw invalidField('indexNow.enabled', enabled, 'must be true or false');
  return enabled;
}

/** Parses whether a hostname has a website. Undefined if the body does not say. Throws Refusal VALIDATION_ERROR. */
export function parseWebsite(given: unknown): boolean | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'boolean') throw invalidField('website', given, 'must be true or false');
  return given;
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
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw invalidField('recent', given, 'must be an object, as in {"enabled": true, "hours": 72}');
  }
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'enabled' && name !== 'hours')
      throw unknownName(`recent.${name}`, ['recent.enabled', 'recent.hours'], value);
  }
  const { enabled, hours } = given as { enabled?: unknown; hours?: unknown };
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  if (isGiven(enabled) && typeof enabled !== 'boolean')
    throw invalidField('recent.enabled', enabled, 'must be true or false');
  const isWindow = Number.isInteger(hours) && Number(hours) >= MIN_HOURS && Number(hours) <= MAX_HOURS;
  if (isGiven(hours) && !isWindow)
    throw invalidField('recent.hours', hours, `must be a whole number from ${MIN_HOURS} to ${MAX_HOURS}`);
  if (!isGiven(enabled) && !isGiven(hours)) return undefined;
  return {
    ...(isGiven(enabled) && { enabled: enabled === true }),
    ...(isGiven(hours) && { hours: Number(hours) }),
  };
}

/** Parses a guard's percentage; null for no guard, undefined if the body does not change it. Throws Refusal VALIDATION_ERROR. */
export function parseGuard(given: unknown): number | null | undefined {
  if (given === undefined || given === null) return given;
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw invalidField('guard', given, 'must be an object, as in {"maxRemovedPercent": 30}, or null');
  }
  const name = 'guard.maxRemovedPercent';
  for (const [member, value] of Object.entries(given)) {
    if (member !== 'maxRemovedPercent') throw unknownName(`guard.${member}`, [name], value);
  }
  const { maxRemovedPercent } = given as { maxRemovedPercent?: unknown };
  if (maxRemovedPercent === undefined || maxRemovedPercent === null) return maxRemovedPercent;
  const isPercent =
    Number.isInteger(maxRemovedPercent) && Number(maxRemovedPercent) >= 0 && Number(maxRemovedPercent) <= 100;
  if (!isPercent)
    throw invalidField(name, maxRemovedPercent, 'must be a whole number from 0 to 100, or null');
  return Number(maxRemovedPercent);
}
