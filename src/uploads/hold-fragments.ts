/** Keeps the first fragments back while the document is sure to say more about the upload behind its `urls`. */
import type { Fragment } from './fragment.ts';

/** Of deflated XML: some 1.5 million plain entries. What comes after is cut as if nothing more followed. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

export async function* holdFragments(
  fragments: AsyncIterable<Fragment>,
  isMoreToCome: () => boolean,
): AsyncGenerator<Fragment, void, undefined> {
  let held: Fragment[] | undefined = [];
  let heldBytes = 0;
  for await (const fragment of fragments) {
    if (held === undefined) {
      yield fragment;
      continue;
    }
    held.push(fragment);
    heldBytes += fragment.deflated.length;
    if (heldBytes < MAX_HELD_BYTES && isMoreToCome()) continue;
    yield* held;
    held = undefined;
  }
  if (held !== undefined) yield* held;
}
