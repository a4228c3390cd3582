/** Decides whether a body can be read again for another attempt. */
import type { RepeatableBody } from '../http/connection.ts';
import { badInput } from '../waypost-error.ts';

/**
 * A function makes the content anew for each attempt. An iterable other than an array can be read once, so no retry follows its first
 * read.
 */
export type Repeatable<Content> = Content | (() => Content);

export function repeatable<Content extends object>(
  content: Repeatable<Content>,
  encode: (content: Content) => AsyncIterable<Uint8Array>,
): RepeatableBody {
  if (Array.isArray(content)) return repeatable(() => content, encode);
  if (typeof content === 'function') {
    const make = content as () => Content;
    let before: Content | undefined;
    return {
      open() {
        const made = make();
        // It would go on where the last attempt ended, and the rest would count as the whole.
        if (made === before && 'next' in made) throw badInput(SAME_ITERATOR);
        before = made;
        return encode(made);
      },
      canOpen: () => true,
    };
  }
  let hasBegun = false;
  async function* once() {
    hasBegun = true;
    yield* encode(content as Content);
  }
  return { open: once, canOpen: () => !hasBegun };
}

const SAME_ITERATOR =
  'The connection was lost, and your function returned the same iterator again, which is read in part. It must make a new one each time.';
