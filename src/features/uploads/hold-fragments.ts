/**
 * Holds the first fragments while more members must follow `urls`, because one of these members may be `sizeLimit`. `sizeLimit` decides
 * how files are cut.
 */
import type { Fragment } from '../sites/fragment.ts';
import type { HeldBytes } from './hold-budget.ts';

/** When `budget` has no room, yields the fragments without waiting for the members after `urls`. */
export async function* holdFragments(
  fragments: AsyncIterable<Fragment>,
  isMoreToCome: () => boolean,
  budget: HeldBytes,
): AsyncGenerator<Fragment, void, undefined> {
  let held: Fragment[] | undefined = [];
  try {
    for await (const fragment of fragments) {
      if (held === undefined) {
        yield fragment;
        continue;
      }
      held.push(fragment);
      if (isMoreToCome() && budget.take(bytesOf(fragment))) continue;
      yield* held;
      held = undefined;
      budget.release();
    }
    if (held !== undefined) yield* held;
  } finally {
    // Release the budget even if the upload breaks off.
    budget.release();
  }
}

const bytesOf = ({ deflated, hashes }: Fragment) => deflated.length + (hashes?.length ?? 0);
