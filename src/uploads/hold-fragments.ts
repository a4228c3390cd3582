/** Keeps the first fragments back while the document is sure to say more about the upload behind its `urls`. */
import type { Fragment } from './fragment.ts';
import type { HeldBytes } from './hold-budget.ts';

/** Where `budget` has no room, they are cut as if nothing more followed. */
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
      if (isMoreToCome() && budget.take(fragment.deflated.length)) continue;
      yield* held;
      held = undefined;
      budget.release();
    }
    if (held !== undefined) yield* held;
  } finally {
    // Also when the upload ends in the middle, however it does.
    budget.release();
  }
}
