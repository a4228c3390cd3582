/**
 * Yields the fragments of a dry run again, so that they can be cut by another `sizeLimit`. The dry run stored no bytes, so the yielded
 * bytes are zeros.
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
