/** What `PATCH /api/domains/:id` may change (spec D36). */
import { invalidField, unknownName } from '../platform/refusal.ts';

export const DOMAIN_CHANGES = ['indexNow'];

/** Undefined when the body does not change it. Throws Refusal VALIDATION_ERROR. */
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
