/** Query parameters that an endpoint does not know are refused: a typo in one must not pass for its absence. */
import type { Request } from 'express';
import { unknownName } from '../platform/refusal.ts';

/** Throws Refusal VALIDATION_ERROR. */
export function requireKnownQuery({ query }: Request, known: readonly string[]): void {
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) throw unknownName(name, known, value);
  }
}
