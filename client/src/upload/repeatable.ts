/** Decides whether a body can be read again for another attempt. */
import type { RepeatableBody } from '../http/connection.ts';

/** A function makes the content anew for each attempt. An iterable can be read once, so no retry follows its first read. */
export type Repeatable<Content> = Content | (() => Content);

export function repeatable<Content extends object>(
  content: Repeatable<Content>,
  encode: (content: Content) => AsyncIterable<Uint8Array>,
): RepeatableBody {
  if (typeof content === 'function') {
    const make = content as () => Content;
    return { open: () => encode(make()), canOpen: () => true };
  }
  let hasBegun = false;
  async function* once() {
    hasBegun = true;
    yield* encode(content as Content);
  }
  return { open: once, canOpen: () => !hasBegun };
}
