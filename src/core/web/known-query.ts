/** Refuses query parameters that an endpoint does not know: a typo must not go unnoticed. */
import type { Request } from 'express';
import { unknownName } from '../../platform/refusal.ts';

/** Throws Refusal VALIDATION_ERROR. */
export function requireKnownQuery({ query }: Request, known: readonly string[]): void {
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) throw unknownName(name, known, value);
  }
}
