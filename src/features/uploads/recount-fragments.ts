/**
 * Yields the fragments of a dry run again, so that they can be cut by another `sizeLimit`. Their bytes were not stored, so
 * they are zeros.
 */
import type { Fragment } from '../sites/fragment.ts';
import type { Staging } from './staging.ts';

export async function* recountFragments(
  staging: Pick<Staging, 'files'>,
): AsyncGenerator<Fragment, void, undefined> {
  for (const { fragments } of staging.files) {
    for (const { deflatedBytes, ...rest } of fragments) {
      yield { ...rest, deflated: Buffer.alloc(deflatedBytes) };
    }
  }
}
